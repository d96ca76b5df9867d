/// What becomes of time in which a recording has heard nothing.
public enum RecordingGaps: String, CaseIterable, Hashable, Sendable {
  /// A WAV file has a cue point there.
  case mark
  /// Silence stands there, as long as the gap.
  case fill
}
