public import RenderCore

/// A voice processor between the two sides of an I/O unit: the side that plays tells it what is played,
/// at a rate of its own, and the side that hears has its sound processed.
///
/// Both sides run on one thread. Each keeps an access, and this object as company.
@safe
public final class VoiceLine: @unchecked Sendable {
  // `@unchecked Sendable`: the accesses belong to one render thread at a time, as the kernels that hold
  // them do.
  private let state: UnsafeMutablePointer<VoiceLineState>

  /// Makes a line. Control thread.
  ///
  /// - Parameters:
  ///   - heardRate: What the processor runs at, in Hz: 8000 to 192 000.
  ///   - playedRate: Of what is played.
  ///   - maximumSlice: The most frames, at the rate that is played, that are played at once.
  ///   - lead: By how many frames what is heard may be ahead of what is played beyond that.
  ///   - searchesDelay: Whether the echo may come later than a room makes it.
  public init(
    heardRate: Double, playedRate: Double, maximumSlice: Int, lead: Int, searchesDelay: Bool
  ) {
    let slack = Self.slack(
      heardRate: heardRate, playedRate: playedRate, maximumSlice: maximumSlice, lead: lead)
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(
      to: VoiceLineState(
        processor: VoiceProcessor(
          sampleRate: heardRate, slack: slack, searchesDelay: searchesDelay),
        resampler: PolyphaseResampler(
          inputRate: playedRate, outputRate: heardRate, channelCount: 1,
          maximumInputFrames: maximumSlice, maximumOutputFrames: slack),
        converts: heardRate != playedRate, maximumSlice: maximumSlice))
  }

  /// How many frames what comes out of such a line is behind what goes in, at the rate that is heard.
  public static func delay(
    heardRate: Double, playedRate: Double, maximumSlice: Int, lead: Int
  ) -> Int {
    2 * VoiceProcessor.hop(sampleRate: heardRate)
      + slack(
        heardRate: heardRate, playedRate: playedRate, maximumSlice: maximumSlice, lead: lead)
  }

  private static func slack(
    heardRate: Double, playedRate: Double, maximumSlice: Int, lead: Int
  ) -> Int {
    let slack = Int((Double(maximumSlice) * heardRate / playedRate).rounded(.up)) + lead
    guard heardRate != playedRate else { return slack }
    let ahead = PolyphaseResampler.lookAhead(inputRate: playedRate, outputRate: heardRate)
    // One frame for each rounding: of a slice, of the converter's, of what is ahead.
    return slack + Int((Double(ahead) * heardRate / playedRate).rounded(.up)) + 3
  }

  deinit {
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  /// What either side keeps: valid as long as the line.
  public var access: VoiceLineAccess { unsafe VoiceLineAccess(state: state) }
}

@safe
struct VoiceLineState: ~Copyable {
  var processor: VoiceProcessor
  var resampler: PolyphaseResampler
  let converts: Bool
  let maximumSlice: Int
  /// Two mono buses in the shape that a resampler takes: what is played, at both rates.
  let plan: RenderPlan
  let played: RenderBus
  let converted: RenderBus

  init(
    processor: consuming VoiceProcessor, resampler: consuming PolyphaseResampler, converts: Bool,
    maximumSlice: Int
  ) {
    let slack = processor.slack
    let longest = max(slack, maximumSlice)
    plan = RenderPlan(rows: [], busChannelCounts: [1, 1], maximumFramesPerSlice: longest)
    played = plan.bus(0, frameCount: longest)
    converted = plan.bus(1, frameCount: longest)
    self.processor = processor
    self.resampler = resampler
    self.converts = converts
    self.maximumSlice = maximumSlice
    played.markSounding()
  }
}

/// A voice line as one of its two sides sees it.
@safe
public struct VoiceLineAccess: BitwiseCopyable, @unchecked Sendable {
  // `@unchecked Sendable`: as the line it is of: one render thread at a time uses both sides.
  private let state: UnsafeMutablePointer<VoiceLineState>

  @_noLocks
  init(state: UnsafeMutablePointer<VoiceLineState>) { unsafe self.state = state }

  /// How it is set. A change is heard from the next piece on.
  public var settings: VoiceSettings {
    @_noLocks get { unsafe state.pointee.processor.settings }
    @_noLocks nonmutating set { unsafe state.pointee.processor.settings = newValue }
  }

  /// Whether someone is heard to speak while muted.
  public var speaksWhileMuted: Bool {
    @_noLocks get { unsafe state.pointee.processor.speaksWhileMuted }
  }

  /// Takes what is played: the mean of its channels is what the processor knows of it.
  @_noLocks
  public func play(_ bus: RenderBus) {
    var start = 0
    while start < bus.frameCount {
      let rest = bus.frameCount - start
      let limit = unsafe state.pointee.maximumSlice
      let frames = rest < limit ? rest : limit
      unsafe state.pointee.play(bus, from: start, frames)
      start += frames
    }
  }

  /// Processes what is heard, in place: the mean of the channels, on all of them. While bypassed the
  /// channels stay as they are.
  @_noLocks
  public func process(_ bus: RenderBus, channelCount: Int) {
    var start = 0
    while start < bus.frameCount {
      let rest = bus.frameCount - start
      let limit = unsafe state.pointee.processor.slack
      let frames = rest < limit ? rest : limit
      unsafe state.pointee.processor.hear(bus, from: start, frames, channelCount: channelCount)
      for channel in 0..<bus.channelCount {
        unsafe state.pointee.processor.write(
          over: bus[channel].dropping(start).prefix(frames))
      }
      start += frames
    }
  }
}

extension VoiceLineState {
  @_noLocks
  fileprivate mutating func play(_ bus: RenderBus, from start: Int, _ frames: Int) {
    let mono = played[0].prefix(frames)
    VoiceProcessor.mean(bus, from: start, channelCount: bus.channelCount, into: mono)
    guard converts else { return processor.play(mono) }
    resampler.push(played, frameCount: frames)
    var count = processor.slack
    while count > 0 && resampler.inputFramesNeeded(forOutput: count) > 0 { count -= 1 }
    guard count > 0 else { return }
    resampler.pull(into: converted, frameCount: count)
    processor.play(converted[0].prefix(count))
  }
}
