public import AudioTypes
public import RenderCore

/// A callback that is written in Swift: Core Audio's `AURenderCallback`.
///
/// The closure runs on the render thread and keeps its rules: no allocation, no lock, no system
/// call. The compiler cannot check that.
public struct ClosureCallback: RenderCallback {
  /// Fills every frame of every channel with floats whose full scale is 1.0.
  ///
  /// - Parameters:
  ///   - flags: `.outputIsSilence` says that there is only silence; the buffers are then
  ///     cleared.
  ///   - timeStamp: Of the first frame, in the rate of the bus.
  ///   - bus: The input element that is fed.
  ///   - frameCount: How many frames are asked for.
  ///   - buffers: One buffer for each channel.
  /// - Returns: `.ok`, or what ends the slice.
  public typealias Body =
    @Sendable (
      _ flags: inout RenderActionFlags, _ timeStamp: TimeStamp, _ bus: Int, _ frameCount: Int,
      _ buffers: RenderBus
    ) -> Status

  /// The input element that is fed, as the closure is told.
  public var bus: Int
  /// How long it lasts, in seconds; `nil` where it never ends.
  public var duration: Double?
  /// Whether the closure writes what the bus's format can hold, in the bus's own words. Otherwise it
  /// writes floats, and they are rounded.
  public var writesBusWords: Bool
  private let body: Body

  public init(
    bus: Int = 0, duration: Double? = nil, writesBusWords: Bool = false, _ body: @escaping Body
  ) {
    self.bus = bus
    self.duration = duration
    self.writesBusWords = writesBusWords
    self.body = body
  }

  public func duration(for format: StreamFormat) -> Int? {
    duration.map { Int(($0 * format.sampleRate).rounded()) }
  }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    var found = busProblems(format)
    if let duration, !(duration >= 0 && duration < 1e9) {
      found.append(
        CallbackProblem(
          .badSetting, status: .parameterError,
          "a closure's duration is a number of seconds of at least 0", setting: "duration"))
    }
    return found
  }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSource {
    if let problem = problems(for: format).first { throw problem }
    let holder = ClosureHolder(body)
    return RenderSource(
      kernel: .holding(ClosureKernel(holder: holder, bus: bus), with: holder),
      writesBusWords: writesBusWords, duration: duration(for: format))
  }
}

/// Keeps a closure alive for the kernel that calls it.
final class ClosureHolder: Sendable {
  let body: ClosureCallback.Body

  init(_ body: @escaping ClosureCallback.Body) { self.body = body }
}

/// `@safe`: the holder is in the company of the kernel's box.
@safe
struct ClosureKernel: RenderKernel {
  private let holder: Unmanaged<ClosureHolder>
  private let bus: Int

  init(holder: ClosureHolder, bus: Int) {
    unsafe self.holder = .passUnretained(holder)
    self.bus = bus
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status { call(context) }

  // A client's own code: what it does on the render thread is its own promise.
  @_semantics("no_performance_analysis")
  private func call(_ context: RenderContext) -> Status {
    let output = context.output(0)
    var flags: RenderActionFlags = []
    let status = unsafe holder._withUnsafeGuaranteedRef {
      $0.body(&flags, context.timeStamp, bus, context.frameCount, output)
    }
    // Not `contains`, whose generic body may allocate when it first runs.
    if flags.rawValue & RenderActionFlags.outputIsSilence.rawValue != 0 { output.silence() }
    return status
  }
}
