public import PatchSyntax

extension PatchBuilder {
  /// A patch after its timeline has played up to a time: past steps are made in the document, and
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
