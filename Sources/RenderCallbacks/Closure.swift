public import AudioTypes
public import RenderCore

/// A callback written in Swift: Core Audio's `AURenderCallback`.
///
/// There are four kinds: a closure generates sound or processes what it pulls, with floats or with
/// samples of the bus's own stream format. The feed of a processing closure is passed together with
/// it: `setInputCallback(callback, of: io, from: .output(io, 1))`.
///
/// The closure runs on the render thread: it must not allocate, lock or call the system. The
/// compiler cannot check that.
public struct ClosureCallback: RenderCallback {
  /// Fills every frame of every channel with floats whose full scale is 1.0.
  ///
  /// - Parameters:
  ///   - flags: The closure sets `.outputIsSilence` for silence; the buffers are then cleared.
  ///   - timeStamp: Of the first frame, at the rate of the bus.
  ///   - bus: The input element that is fed.
  ///   - frameCount: The number of frames to render.
  ///   - buffers: One buffer for each channel.
  /// - Returns: `.ok`, or a status that ends the slice.
  public typealias Body =
    @Sendable (
      _ flags: inout RenderActionFlags, _ timeStamp: TimeStamp, _ bus: Int, _ frameCount: Int,
      _ buffers: RenderBus
    ) -> Status

  /// Fills every frame of every channel from what the callback pulls.
  ///
  /// The parameters are those of `Body`, and `input`: the pulled floats of the same frames, with as
  /// many channels. The closure must not write to it.
  public typealias ProcessingBody =
    @Sendable (
      _ flags: inout RenderActionFlags, _ timeStamp: TimeStamp, _ bus: Int, _ frameCount: Int,
      _ input: RenderBus, _ buffers: RenderBus
    ) -> Status

  /// Fills every frame with samples of the bus's own stream format.
  ///
  /// The parameters are those of `Body`, but the buffers are those of the format: one where it is
  /// interleaved. They contain what the callback pulls, or zeros where it pulls nothing.
  /// `.outputIsSilence` is set where that is silence; the closure sets or clears it for its output.
  public typealias SampleBody =
    @Sendable (
      _ flags: inout RenderActionFlags, _ timeStamp: TimeStamp, _ bus: Int, _ frameCount: Int,
      _ buffers: SampleBuffers
    ) -> Status

  private enum Kind: Sendable {
    case floats(Body)
    case processing(ProcessingBody)
    case samples(SampleBody)
  }

  /// The length of the sound, in seconds; `nil` where it never ends. For a processing closure, how
  /// long it goes on after its input has ended.
  public var duration: Double?
  /// Whether a closure with floats writes the words of the bus's format. Otherwise its floats are
  /// rounded.
  public var writesBusWords: Bool
  public let input: CallbackInput
  private let kind: Kind

  /// A closure that generates sound, in floats.
  public init(duration: Double? = nil, writesBusWords: Bool = false, _ body: @escaping Body) {
    self.init(.floats(body), .none, duration, writesBusWords: writesBusWords)
  }

  /// A closure that processes what it pulls, in floats.
  ///
  /// - Parameter tail: How long it goes on after its input has ended, in seconds; `nil` for without
  ///   end.
  public static func processing(
    tail: Double? = 0, _ body: @escaping ProcessingBody
  ) -> ClosureCallback {
    ClosureCallback(.processing(body), .required, tail, writesBusWords: false)
  }

  /// A closure that generates sound, in samples of the bus's format.
  public static func samples(
    duration: Double? = nil, _ body: @escaping SampleBody
  ) -> ClosureCallback {
    ClosureCallback(.samples(body), .none, duration, writesBusWords: true)
  }

  /// A closure that processes what it pulls in place, in samples of the bus's format.
  ///
  /// - Parameter tail: How long it goes on after its input has ended, in seconds; `nil` for without
  ///   end.
  public static func processingSamples(
    tail: Double? = 0, _ body: @escaping SampleBody
  ) -> ClosureCallback {
    ClosureCallback(.samples(body), .required, tail, writesBusWords: true)
  }

  private init(_ kind: Kind, _ input: CallbackInput, _ duration: Double?, writesBusWords: Bool) {
    self.kind = kind
    self.input = input
    self.duration = duration
    self.writesBusWords = writesBusWords
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
    let kernel: KernelBox
    switch kind {
    case .floats(let body):
      let holder = ClosureHolder(body)
      kernel = .calling(ClosureKernel(holder: holder), with: holder)
    case .processing(let body):
      let holder = ClosureHolder(body)
      kernel = .calling(ProcessingKernel(holder: holder), with: holder)
    case .samples(let body):
      let holder = ClosureHolder(body)
      kernel = .calling(
        SampleKernel(holder: holder, format: format, maximumFrames: maximumFramesPerSlice),
        with: holder)
    }
    return RenderSource(
      kernel: kernel, writesBusWords: writesBusWords, duration: duration(for: format))
  }
}

/// Retains a closure for the kernel that calls it.
final class ClosureHolder<Body: Sendable>: Sendable {
  let body: Body

  init(_ body: Body) { self.body = body }
}

extension RenderBus {
  /// Silences the bus where a closure has set `.outputIsSilence`.
  @_noLocks
  fileprivate func apply(_ flags: RenderActionFlags) {
    // Not `contains`, whose generic body may allocate when it first runs.
    if flags.rawValue & RenderActionFlags.outputIsSilence.rawValue != 0 { silence() }
  }
}

/// `@safe`: the kernel's box retains the holder.
@safe
struct ClosureKernel: RenderKernel {
  private let holder: Unmanaged<ClosureHolder<ClosureCallback.Body>>

  init(holder: ClosureHolder<ClosureCallback.Body>) {
    unsafe self.holder = .passUnretained(holder)
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status { call(context) }

  // Client code: its author answers for what it does on the render thread.
  @_semantics("no_performance_analysis")
  private func call(_ context: RenderContext) -> Status {
    let output = context.output(0)
    var flags: RenderActionFlags = []
    let status = unsafe holder._withUnsafeGuaranteedRef {
      $0.body(&flags, context.timeStamp, context.element, context.frameCount, output)
    }
    output.apply(flags)
    return status
  }
}

/// `@safe`: the kernel's box retains the holder.
@safe
struct ProcessingKernel: RenderKernel {
  private let holder: Unmanaged<ClosureHolder<ClosureCallback.ProcessingBody>>

  init(holder: ClosureHolder<ClosureCallback.ProcessingBody>) {
    unsafe self.holder = .passUnretained(holder)
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status { call(context) }

  // Client code: its author answers for what it does on the render thread.
  @_semantics("no_performance_analysis")
  private func call(_ context: RenderContext) -> Status {
    let output = context.output(0)
    var flags: RenderActionFlags = []
    let status = unsafe holder._withUnsafeGuaranteedRef {
      $0.body(
        &flags, context.timeStamp, context.element, context.frameCount, context.input(0), output)
    }
    output.apply(flags)
    return status
  }
}

/// `@safe`: the kernel's box retains the holder, and the buffers are the kernel's own.
@safe
struct SampleKernel: RenderKernel, ~Copyable {
  private let holder: Unmanaged<ClosureHolder<ClosureCallback.SampleBody>>
  private let buffers: NativeBuffers
  private let maximumFrames: Int

  init(
    holder: ClosureHolder<ClosureCallback.SampleBody>, format: StreamFormat, maximumFrames: Int
  ) {
    unsafe self.holder = .passUnretained(holder)
    self.maximumFrames = maximumFrames
    buffers = NativeBuffers(format, maximumFrames: maximumFrames)
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status { call(context) }

  // Client code: its author answers for what it does on the render thread.
  @_semantics("no_performance_analysis")
  private func call(_ context: RenderContext) -> Status {
    let output = context.output(0)
    guard context.frameCount <= maximumFrames else {
      output.silence()
      return .tooManyFramesToProcess
    }
    var flags: RenderActionFlags = []
    buffers.prepare(context.frameCount)
    if context.inputCount > 0 {
      let input = context.input(0)
      buffers.fill(from: input)
      if input.isSilent { flags = .outputIsSilence }
    } else {
      buffers.clear(context.frameCount)
    }
    let samples = buffers.samples(context.frameCount)
    let status = unsafe holder._withUnsafeGuaranteedRef {
      $0.body(&flags, context.timeStamp, context.element, context.frameCount, samples)
    }
    if status == .ok { buffers.read(into: output) } else { output.silence() }
    output.apply(flags)
    return status
  }
}
