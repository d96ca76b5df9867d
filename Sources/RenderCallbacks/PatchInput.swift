public import AudioTypes
public import RenderCore

/// An input of a patch: what the patch around it connects to that bus of the sub-graph. In a patch
/// that nothing is around, and where nothing is connected, silence.
///
/// What is connected stands in its place before a graph is built: what is made here is the silence.
public struct PatchInputCallback: RenderCallback {
  public static let description = CallbackDescription(
    kind: "input",
    summary:
      "What the patch around this one connects to a bus of the sub-graph; silence where there is "
      + "none.",
    settings: [
      SettingInfo(
        "bus", .integer(0...65_535), defaultValue: .number(0),
        summary: "Which input of the sub-graph it is.")
    ],
    make: { _ in PatchInputCallback() })

  private let silence = SilenceCallback()

  public init() {}

  public func duration(for format: StreamFormat) -> Int? { silence.duration(for: format) }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    silence.problems(for: format)
  }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSource {
    try silence.makeSource(for: format, maximumFramesPerSlice: maximumFramesPerSlice)
  }
}
