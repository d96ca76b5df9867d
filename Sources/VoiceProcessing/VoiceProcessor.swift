public import RenderCore

/// What may be changed while a voice processor runs.
public struct VoiceSettings: BitwiseCopyable, Hashable, Sendable {
  /// Whether the microphone is passed on as it is, without delay.
  public var isBypassed: Bool
  /// Whether the level is controlled.
  public var controlsLevel: Bool
  /// Whether nothing is passed on.
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

/// Makes a microphone fit for a conversation: takes out of it what a loudspeaker brings in, takes noise
/// down, and brings speech to one level.
///
/// Both signals are mono and at one rate; two clocks that are nearly at one speed are followed. `play` is told what is played and `process` gets
/// what is heard, in turns of at most `slack` frames, the microphone first: frame n of the one is played
/// while frame n of the other is recorded. What comes out is `delay` frames late, always, and does not
/// depend on how the frames are cut. A bypassed microphone is not delayed; the echo goes on being learnt.
///
/// One thread at a time. Neither allocates nor locks once it is made.
public struct VoiceProcessor: ~Copyable {
  /// Frames that are processed at a time: some 8 ms.
  public let hop: Int
  /// The most frames that may be processed beyond what has been played.
  public let slack: Int
  /// How many frames what comes out is behind what goes in.
  public var delay: Int { @_noLocks get { 2 * hop + slack } }
  /// How much is done; from the next frames on.
  public var settings: VoiceSettings
  /// Whether someone is heard to speak while muted.
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
  /// From 0, processed, to 1, as it is.
  private var bypass: Float
  /// From 0, muted, to 1.
  private var voice: Float
  private let step: Float
  private var hasBegun = false
  private var speech = 0
  /// Frames of silence that have been put in the place of what was not there yet.
  private var owed = 0
  private var pause = 0

  /// How much of a room's response can be taken out, in seconds.
  public static var longestEcho: Double { @_noLocks get { 0.256 } }

  /// Makes a processor. Control thread.
  ///
  /// - Parameters:
  ///   - sampleRate: In Hz, from 8000 to 192 000.
  ///   - slack: The most frames that are processed before what was played meanwhile is known.
  ///   - settings: What it begins with.
  ///   - searchesDelay: Whether the echo may come later than `longestEcho`, by up to half a second more,
  ///     as with a sound server between; the delay is then looked for.
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
    voice = 1
    // 10 ms from one to the other.
    step = Float(100 / sampleRate)
    // The suppressor is a hop late by itself.
    ready.pushSilence(hop + slack)
  }

  /// Frames in a hop at a rate: nearest to 8 ms, and within a tenth of that where it can be had, such that a
  /// transform of two hops is fast.
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

  /// How many hops have been processed.
  package private(set) var hopCount = 0
  /// What the last hop was judged by, whether someone near speaks: see `NearDetector`.
  package var nearClues: ChannelBuffer { @_noLocks get { suppressor.clues } }
  /// How likely that was: from 0 to 1.
  package var nearProbability: Float { @_noLocks get { canceller.nearProbability } }

  /// Takes what has been played.
  ///
  /// - Parameter loudspeaker: At most `slack` frames.
  @_noLocks
  public mutating func play(_ loudspeaker: ChannelBuffer) {
    precondition(loudspeaker.count <= slack, "at most `slack` frames at a time")
    // What was taken to be silent is past.
    let late = owed < loudspeaker.count ? owed : loudspeaker.count
    owed -= late
    let loudspeaker = loudspeaker.dropping(late)
    // What nobody has asked for makes way: the microphone is off, or behind.
    if loudspeaker.count > played.room {
      let lost = loudspeaker.count - played.room
      played.pop(into: memory.buffer(at: 0, count: lost < 4 * hop ? lost : 4 * hop))
    }
    played.push(loudspeaker)
    processHops()
  }

  /// Processes what has been heard.
  ///
  /// - Parameters:
  ///   - microphone: At most `slack` frames.
  ///   - output: Room for as many; it may be the same.
  @_noLocks
  public mutating func process(_ microphone: ChannelBuffer, into output: ChannelBuffer) {
    let frames = microphone.count
    precondition(frames <= slack && output.count >= frames, "at most `slack` frames at a time")
    heard.push(microphone)
    advance(frames)
    output.copy(from: microphone)
    write(over: output.prefix(frames))
  }

  /// Takes the mean of some channels as what is heard. `write` gives what comes of it.
  @_noLocks
  mutating func hear(_ bus: RenderBus, from start: Int, _ frames: Int, channelCount: Int) {
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

  /// Puts the frames that are due into `memory`, and beside them how much of them is to be heard.
  @_noLocks
  private mutating func advance(_ frames: Int) {
    processHops()
    // Where the loudspeaker has not been heard of for longer, it is taken to have been silent.
    while ready.count < frames {
      let missing = hop - played.count
      if missing > 0 {
        played.pushSilence(missing)
        owed += missing
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
      // As it is set at the start, without a fade.
      hasBegun = true
      bypass = bypassEnd
      voice = voiceEnd
    }
    for index in 0..<frames {
      bypass = Self.approach(bypass, bypassEnd, step)
      voice = Self.approach(voice, voiceEnd, step)
      plainness[index] = bypass
      loudness[index] = voice
    }
  }

  /// Puts the frames that are due in the place of what one channel has heard.
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
      far[index] = Self.sane(far[index])
      near[index] = Self.sane(near[index])
    }
    if search.align(far, near) { canceller.restart() }
    suppressor.presence = search.presence
    suppressor.comparedHops = search.comparedHops
    let isElsewhere = skew.follow(far)
    canceller.effort = VoiceEffort(quality: settings.quality, longest: canceller.largestLength)
    canceller.model(loudspeaker: far, microphone: near)
    suppressor.suppress(microphone: near, canceller: &canceller, into: cleaned)
    near.copy(from: cleaned)
    if isElsewhere { canceller.restart() }
    skew.note(lateness: suppressor.lateness, variance: suppressor.latenessVariance)
    if let lack = skew.lack {
      let room = canceller.leadingSilence(atMost: lack.upperBound)
      let count = room > lack.lowerBound ? room : lack.lowerBound
      skew.fallBack(by: count)
      canceller.delayPlayed(by: count)
    }
    let isSpeech = suppressor.hearsSpeech
    noteSpeech(isSpeech && settings.isMuted && bypass != 1)
    level.control(near, isSpeech: isSpeech, isOn: settings.controlsLevel)
    ready.push(near)
    hopCount += 1
  }

  /// A sample that adds up: a number, and not so large that its square would not be one.
  @_noLocks
  private static func sane(_ sample: Float) -> Float {
    guard sample > -64 else { return sample <= -64 ? -64 : 0 }
    return sample < 64 ? sample : 64
  }

  /// Speech has begun after 64 ms of it and ended after 0.4 s without.
  @_noLocks
  private mutating func noteSpeech(_ isSpeech: Bool) {
    guard settings.isMuted else {
      speech = 0
      speaksWhileMuted = false
      return
    }
    if isSpeech {
      speech += 1
      pause = 0
      if speech >= 8 { speaksWhileMuted = true }
    } else {
      pause += 1
      if pause >= 6 { speech = 0 }
      if pause >= 50 { speaksWhileMuted = false }
    }
  }
}
