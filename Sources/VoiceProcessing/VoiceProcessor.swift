public import RenderCore

/// The settings of a voice processor, which may change while it runs.
public struct VoiceSettings: BitwiseCopyable, Hashable, Sendable {
  /// Whether the microphone passes unchanged and without delay.
  public var isBypassed: Bool
  /// Whether the gain of speech is controlled.
  public var controlsLevel: Bool
  /// Whether the output is silent.
  public var isMuted: Bool
  /// From 0, the cheapest, to 127, the best.
  public var quality: Int

  @_noLocks
  public init(
    isBypassed: Bool = false, controlsLevel: Bool = true, isMuted: Bool = false,
    quality: Int = 127
  ) {
    self.isBypassed = isBypassed
    self.controlsLevel = controlsLevel
    self.isMuted = isMuted
    self.quality = quality
  }
}

/// Processes a microphone for conversations: echo cancellation, noise suppression and automatic
/// gain control.
///
/// Both signals are mono and have one nominal rate; a small difference of their clocks is
/// compensated. `process` takes the microphone, with the near end (whoever speaks into it), and
/// `play` the far end (what the loudspeaker plays), alternately and in this order, at most `slack`
/// frames at a time: frame n of the far end is played while frame n of the microphone is recorded.
/// The output is always `delay` frames late, and does not depend on how the frames are cut into
/// slices. A bypassed microphone is not delayed; the filters continue to adapt.
///
/// One thread at a time. After `init` it neither allocates nor locks.
public struct VoiceProcessor: ~Copyable {
  /// The frames processed at a time: some 8 ms.
  public let hop: Int
  /// The most frames by which `process` may be ahead of `play`.
  public let slack: Int
  /// The delay of the output, in frames.
  public var delay: Int { @_noLocks get { 2 * hop + slack } }
  /// A change applies from the next frames on.
  public var settings: VoiceSettings
  /// Whether somebody speaks while the microphone is muted.
  public private(set) var speaksWhileMuted = false

  private var canceller: EchoCanceller
  private var suppressor: EchoSuppressor
  private var level: LevelControl
  private var search: DelaySearch
  private var skew: ClockSkew

  private var played: SampleQueue
  private var heard: SampleQueue
  private var ready: SampleQueue
  private let memory: SampleStorage
  /// The share of the unprocessed microphone: from 0 to 1.
  private var bypass: Float
  /// The gain of the mute switch: 0 is muted, 1 is not.
  private var unmuted: Float
  private let step: Float
  private var hasBegun = false
  private var speechHops = 0
  /// Frames of the far end that were not there in time and taken for silence; as many of those that
  /// follow are dropped.
  private var assumedSilence = 0
  private var pauseHops = 0

  /// The longest echo path that can be cancelled, in seconds.
  public static var longestEcho: Double { @_noLocks get { 0.256 } }

  /// Makes a processor. Control thread.
  ///
  /// - Parameters:
  ///   - sampleRate: In Hz, from 8000 to 192 000.
  ///   - slack: The most frames of one `process` or `play`, and by which `process` may be ahead.
  ///   - settings: The initial settings.
  ///   - searchesDelay: Whether to search for a delay of the echo of up to half a second in
  ///     addition to `longestEcho`, as a sound server causes.
  public init(
    sampleRate: Double, slack: Int, settings: VoiceSettings = .init(), searchesDelay: Bool = false
  ) {
    precondition(
      sampleRate >= 8000 && sampleRate <= 192_000, "a rate from 8 to 192 kHz is processed")
    precondition(slack >= 1, "there is a frame to process")
    let hop = Self.hop(sampleRate: sampleRate)
    self.hop = hop
    self.slack = slack
    self.settings = settings
    let length = Int((Self.longestEcho * sampleRate / Double(hop)).rounded())
    canceller = EchoCanceller(hop: hop, sampleRate: sampleRate, length: length)
    suppressor = EchoSuppressor(hop: hop, sampleRate: sampleRate)
    level = LevelControl()
    skew = ClockSkew(hop: hop, sampleRate: sampleRate)
    search = DelaySearch(
      hop: hop, sampleRate: sampleRate,
      longest: searchesDelay ? Int(0.5 * sampleRate) / hop : 0, covered: length)
    played = SampleQueue(capacity: 2 * (hop + slack))
    heard = SampleQueue(capacity: 2 * (hop + slack))
    ready = SampleQueue(capacity: 4 * (hop + slack))
    memory = SampleStorage(repeating: 0, count: 4 * hop + 3 * slack)
    bypass = 0
    unmuted = 1
    // A fade takes 10 ms.
    step = Float(100 / sampleRate)
    // The suppressor adds the delay of another hop.
    ready.pushSilence(hop + slack)
  }

  /// The frames of a hop at a rate: the number nearest to 8 ms for which a transform of two hops is
  /// fast or, where there is none within a tenth of 8 ms, has no prime factors above 5.
  public static func hop(sampleRate: Double) -> Int {
    let wanted = Int((0.008 * sampleRate).rounded())
    for distance in 0...(wanted / 10) {
      for hop in [wanted - distance, wanted + distance] where RealFFT.isFast(2 * hop) {
        return hop
      }
    }
    var distance = 0
    while true {
      for hop in [wanted - distance, wanted + distance] where RealFFT.hasSmallFactors(2 * hop) {
        return hop
      }
      distance += 1
    }
  }

  // MARK: Render thread

  /// The number of hops processed.
  package private(set) var hopCount = 0
  /// The clues of the last hop: see `NearDetector`.
  package var nearClues: ChannelBuffer { @_noLocks get { suppressor.clues } }
  /// The probability of near-end speech in the last hop.
  package var nearProbability: Float { @_noLocks get { canceller.nearProbability } }

  /// Takes frames of the far end, which have been played.
  ///
  /// - Parameter loudspeaker: At most `slack` frames.
  @_noLocks
  public mutating func play(_ loudspeaker: ChannelBuffer) {
    precondition(loudspeaker.count <= slack, "at most `slack` frames at a time")
    // These frames have been replaced by silence already.
    let late = assumedSilence < loudspeaker.count ? assumedSilence : loudspeaker.count
    assumedSilence -= late
    let loudspeaker = loudspeaker.dropping(late)
    // The microphone is off or behind: drop the oldest frames.
    if loudspeaker.count > played.room {
      let lost = loudspeaker.count - played.room
      played.pop(into: memory.buffer(at: 0, count: lost < 4 * hop ? lost : 4 * hop))
    }
    played.push(loudspeaker)
    processHops()
  }

  /// Processes frames of the microphone.
  ///
  /// - Parameters:
  ///   - microphone: At most `slack` frames.
  ///   - output: Room for as many; it may be the same buffer.
  @_noLocks
  public mutating func process(_ microphone: ChannelBuffer, into output: ChannelBuffer) {
    let frames = microphone.count
    precondition(frames <= slack && output.count >= frames, "at most `slack` frames at a time")
    heard.push(microphone)
    advance(frames)
    output.copy(from: microphone)
    write(over: output.prefix(frames))
  }

  /// Takes the mean of the first channels of a bus as the microphone. `write(over:)` writes the
  /// output.
  @_noLocks
  mutating func takeMicrophone(_ bus: RenderBus, from start: Int, _ frames: Int, channelCount: Int)
  {
    precondition(frames <= slack, "at most `slack` frames at a time")
    let mono = memory.buffer(at: 4 * hop, count: frames)
    Self.mean(bus, from: start, channelCount: channelCount, into: mono)
    heard.push(mono)
    advance(frames)
  }

  /// The mean of the first channels of a bus.
  @_noLocks
  static func mean(_ bus: RenderBus, from start: Int, channelCount: Int, into mono: ChannelBuffer) {
    mono.copy(from: bus[0].dropping(start))
    guard channelCount > 1 else { return }
    for channel in 1..<channelCount {
      let samples = bus[channel]
      for index in mono.indices { mono[index] += samples[start + index] }
    }
    let share = 1 / Float(channelCount)
    for index in mono.indices { mono[index] *= share }
  }

  /// Puts the next output frames into `memory`, and behind them the fade of the bypass and of the
  /// mute switch for each.
  @_noLocks
  private mutating func advance(_ frames: Int) {
    processHops()
    // A far end that is later than `slack` is taken for silence.
    while ready.count < frames {
      let missing = hop - played.count
      if missing > 0 {
        played.pushSilence(missing)
        assumedSilence += missing
      }
      processHops()
    }
    let voiced = memory.buffer(at: 4 * hop, count: frames)
    let plainness = memory.buffer(at: 4 * hop + slack, count: frames)
    let loudness = memory.buffer(at: 4 * hop + 2 * slack, count: frames)
    ready.pop(into: voiced)
    let bypassEnd: Float = settings.isBypassed ? 1 : 0
    let voiceEnd: Float = settings.isMuted ? 0 : 1
    if !hasBegun {
      // The first settings apply without a fade.
      hasBegun = true
      bypass = bypassEnd
      unmuted = voiceEnd
    }
    for index in 0..<frames {
      bypass = Self.approach(bypass, bypassEnd, step)
      unmuted = Self.approach(unmuted, voiceEnd, step)
      plainness[index] = bypass
      loudness[index] = unmuted
    }
  }

  /// Replaces the frames of one channel by the next output frames, faded with the bypass and the
  /// mute switch.
  @_noLocks
  mutating func write(over channel: ChannelBuffer) {
    let frames = channel.count
    let voiced = memory.buffer(at: 4 * hop, count: frames)
    let plainness = memory.buffer(at: 4 * hop + slack, count: frames)
    let loudness = memory.buffer(at: 4 * hop + 2 * slack, count: frames)
    for index in 0..<frames {
      let (plain, ready) = (channel[index], voiced[index])
      let share = plainness[index]
      let mixed = share == 1 ? plain : share == 0 ? ready : ready + share * (plain - ready)
      let loud = loudness[index]
      channel[index] = loud == 1 ? mixed : loud == 0 ? 0 : loud * mixed
    }
  }

  @_noLocks
  private static func approach(_ value: Float, _ end: Float, _ step: Float) -> Float {
    if value < end { return value + step < end ? value + step : end }
    return value - step > end ? value - step : end
  }

  @_noLocks
  private mutating func processHops() {
    while true {
      guard heard.count >= hop else { return }
      guard played.count >= hop else { return }
      processHop()
    }
  }

  @_noLocks
  private mutating func processHop() {
    let far = memory.buffer(at: 0, count: hop)
    let near = memory.buffer(at: hop, count: hop)
    let cleaned = memory.buffer(at: 2 * hop, count: hop)
    played.pop(into: far)
    heard.pop(into: near)
    for index in 0..<hop {
      far[index] = Self.limited(far[index])
      near[index] = Self.limited(near[index])
    }
    if search.align(far, near) { canceller.restart() }
    suppressor.presence = search.presence
    suppressor.comparedHops = search.comparedHops
    let hasJumped = skew.compensate(far)
    canceller.effort = VoiceEffort(quality: settings.quality, longest: canceller.largestLength)
    canceller.model(loudspeaker: far, microphone: near)
    suppressor.suppress(microphone: near, canceller: &canceller, into: cleaned)
    near.copy(from: cleaned)
    if hasJumped { canceller.restart() }
    skew.note(lateness: suppressor.lateness, variance: suppressor.latenessVariance)
    if let lack = skew.missingLag {
      let room = canceller.leadingSilence(atMost: lack.upperBound)
      let count = room > lack.lowerBound ? room : lack.lowerBound
      skew.increaseLag(by: count)
      canceller.delayPlayed(by: count)
    }
    let isSpeech = suppressor.hearsSpeech
    noteSpeech(isSpeech && settings.isMuted && bypass != 1)
    level.control(near, isSpeech: isSpeech, isOn: settings.controlsLevel)
    ready.push(near)
    hopCount += 1
  }

  /// A sample limited to ±64; 0 for NaN. So sums of squares stay finite.
  @_noLocks
  private static func limited(_ sample: Float) -> Float {
    guard sample > -64 else { return sample <= -64 ? -64 : 0 }
    return sample < 64 ? sample : 64
  }

  /// Speech begins after 8 hops (64 ms) of it, and ends after 50 hops (0.4 s) without.
  @_noLocks
  private mutating func noteSpeech(_ isSpeech: Bool) {
    guard settings.isMuted else {
      speechHops = 0
      speaksWhileMuted = false
      return
    }
    if isSpeech {
      speechHops += 1
      pauseHops = 0
      if speechHops >= 8 { speaksWhileMuted = true }
    } else {
      pauseHops += 1
      if pauseHops >= 6 { speechHops = 0 }
      if pauseHops >= 50 { speaksWhileMuted = false }
    }
  }
}
