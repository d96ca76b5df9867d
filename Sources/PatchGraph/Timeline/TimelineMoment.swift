public import PatchSyntax

extension PatchBuilder {
  /// A patch as its timeline has left it at some time: what has happened by then is in the document, and
  /// what is to come stays in its timeline.
  ///
  /// - Parameters:
  ///   - patch: What has been built of the document, without errors.
  ///   - seconds: What comes at this time has happened.
  ///   - sampleRate: What the session was granted.
  public static func reading(
    _ reading: PatchReader.Result, of patch: BuiltPatch, playedTo seconds: Double,
    sampleRate: Double
  ) -> PatchReader.Result {
    TimelineFold.fold(reading, patch.updates, upTo: seconds, sampleRate: sampleRate)
  }
}
