public import AudioTypes
public import RenderCore

/// Silence: zeros, and the flag for it (`kAudioUnitRenderAction_OutputIsSilence`).
public struct SilenceCallback: RenderCallback {
  public static let description = CallbackDescription(
    kind: "silence", summary: "Nothing: zeros, and the flag that says so.", settings: [],
    make: { _ in SilenceCallback() })

  public init() {}

  public func duration(for format: StreamFormat) -> Int? { nil }

  public func peak(pulling level: PeakLevel) -> PeakLevel { PeakLevel() }

  public func problems(for format: StreamFormat) -> [CallbackProblem] { busProblems(format) }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSource {
    if let problem = problems(for: format).first { throw problem }
    return RenderSource(kernel: .holding(SilenceKernel()), writesBusWords: true)
  }
}

struct SilenceKernel: RenderKernel {
  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    context.output(0).silence()
    return .ok
  }
}
