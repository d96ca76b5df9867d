import Diagnostics
public import PatchSyntax

/// An update of the timeline, made on the document as it is by then.
public struct PlannedUpdate: Sendable {
  /// In seconds from the start.
  public let time: Double
  /// The number of its step in the timeline, as written.
  public let step: Int
  /// The document from then on, until the next update: the whole patch, read. Its text is that of the
  /// patch with the changes in it, and every range of it leads to where it is written in that of the
  /// patch (`SourceText.origin(of:)`).
  public let reading: PatchReader.Result
  let epoch: TimelineEpoch
  /// The callbacks whose sounds begin again then.
  var triggers: [String] = []
}
