public import AudioTypes
public import RenderCore

/// An input of a patch: the feed that the patch around it connects to that bus of the sub-graph.
/// Silence where there is no patch around it, or no connection.
///
/// A connected feed replaces this callback before a graph is built, so the callback itself renders
/// silence.
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
