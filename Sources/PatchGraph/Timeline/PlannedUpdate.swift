public import PatchSyntax

/// An update or a trigger of the timeline, with the document that results from it.
public struct PlannedUpdate: Sendable {
  /// The time in seconds from the start.
  public let time: Double
  /// The index of its step in the timeline of the document, in which each repetition is a step.
  public let step: Int
  /// The whole patch from this update until the next. Its text is that of the patch with the
  /// changes made; `SourceText.origin(of:)` maps its ranges back to the patch itself.
  public let reading: PatchReader.Result
  let epoch: TimelineEpoch
  /// The names of the callbacks that begin again at this time.
  var triggers: [String] = []
}
