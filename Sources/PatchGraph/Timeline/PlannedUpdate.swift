import Diagnostics
public import PatchSyntax

/// An update of the timeline, made on the document of its time.
public struct PlannedUpdate: Sendable {
  /// The time in seconds from the start.
  public let time: Double
  /// The index of its step in the timeline of the document, which has each repetition of a step.
  public let step: Int
  /// The whole patch from then on until the next update. Its text is that of the patch with the
  /// changes in it; `SourceText.origin(of:)` gives where a range of it is written in the patch
  /// itself.
  public let reading: PatchReader.Result
  let epoch: TimelineEpoch
  /// The names of the callbacks that begin again then.
  var triggers: [String] = []
}
