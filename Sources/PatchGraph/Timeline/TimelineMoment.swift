public import PatchSyntax

extension PatchBuilder {
  /// A patch as its timeline has left it at a time: what has happened by then is in the document,
  /// and what is to come stays in its timeline.
  ///
  /// - Parameters:
  ///   - patch: The patch that was built from the document, without errors.
  ///   - seconds: The time from the start. A step that ends at this time has happened.
  ///   - sampleRate: The rate that the session was granted, in Hz.
  public static func reading(
    _ reading: PatchReader.Result, of patch: BuiltPatch, playedTo seconds: Double,
    sampleRate: Double
  ) -> PatchReader.Result {
    TimelineFold.fold(reading, patch.updates, upTo: seconds, sampleRate: sampleRate)
  }
}
