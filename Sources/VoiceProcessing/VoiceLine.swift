public import RenderCore

/// A voice processor shared by the two sides of an I/O unit: the loudspeaker side gives it the far
/// end, at its own rate, and the microphone side has its samples processed.
///
/// Both sides run on one thread. Each kernel holds an `access`, and its box retains this object.
@safe
public final class VoiceLine: @unchecked Sendable {
  // `@unchecked Sendable`: the accesses belong to one render thread at a time, as the kernels that hold
  // them do.
  private let state: UnsafeMutablePointer<VoiceLineState>

  /// Makes a line. Control thread.
  ///
  /// - Parameters:
  ///   - heardRate: The rate of the microphone side, at which the processor runs, in Hz: 8000 to
  ///     192 000.
  ///   - playedRate: The rate of the loudspeaker side, in Hz.
  ///   - maximumSlice: The largest slice of the loudspeaker side, in frames at `playedRate`.
  ///   - lead: The frames by which the microphone side may be ahead of the loudspeaker side beyond
  ///     that, at `heardRate`.
  ///   - searchesDelay: See `VoiceProcessor.init`.
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

  /// The delay of the microphone side of a line with these arguments, in frames at `heardRate`.
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
    // One frame for each rounding: of a slice, of the converter, of its look-ahead.
    return slack + Int((Double(ahead) * heardRate / playedRate).rounded(.up)) + 3
  }

  deinit {
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  /// The form for a kernel, valid as long as the line.
  public var access: VoiceLineAccess { unsafe VoiceLineAccess(state: state) }
}

@safe
struct VoiceLineState: ~Copyable {
  var processor: VoiceProcessor
  var resampler: PolyphaseResampler
  let converts: Bool
  let maximumSlice: Int
  /// Two mono buses: the far end at the rate of each side.
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
  // `@unchecked Sendable`: as the line itself; one render thread at a time uses both sides.
  private let state: UnsafeMutablePointer<VoiceLineState>

  @_noLocks
  init(state: UnsafeMutablePointer<VoiceLineState>) { unsafe self.state = state }

  /// The settings of the processor. A change applies from the next frames on.
  public var settings: VoiceSettings {
    @_noLocks get { unsafe state.pointee.processor.settings }
    @_noLocks nonmutating set { unsafe state.pointee.processor.settings = newValue }
  }

  /// Whether somebody speaks while the microphone is muted.
  public var speaksWhileMuted: Bool {
    @_noLocks get { unsafe state.pointee.processor.speaksWhileMuted }
  }

  /// Takes a slice that is played. The processor uses the mean of its channels.
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

  /// Processes a slice of the microphone in place: the mean of the first `channelCount` channels
  /// replaces every channel. While bypassed the channels stay as they are.
  @_noLocks
  public func process(_ bus: RenderBus, channelCount: Int) {
    var start = 0
    while start < bus.frameCount {
      let rest = bus.frameCount - start
      let limit = unsafe state.pointee.processor.slack
      let frames = rest < limit ? rest : limit
      unsafe state.pointee.processor.takeMicrophone(
        bus, from: start, frames, channelCount: channelCount)
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
