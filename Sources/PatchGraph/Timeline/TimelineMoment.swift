public import PatchSyntax

extension PatchBuilder {
  /// A patch as its timeline has left it at a time: past steps have gone into the document, and
  /// later ones stay in its timeline.
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
