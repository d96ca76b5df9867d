/// What a recording does about a pause, in which nothing was captured.
public enum RecordingGaps: String, CaseIterable, Hashable, Sendable {
  /// A WAV file gets a cue point there.
  case mark
  /// Silence fills it.
  case fill
}
