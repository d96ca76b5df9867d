/// One thing that differs between two patches, and how a patch that plays goes over from one to the
/// other.
public struct PatchChange: Hashable, Sendable {
  /// How a change is heard.
  public enum Heard: String, Hashable, Sendable, CaseIterable {
    /// Not at all.
    case nothing
    /// A parameter glides to its new value.
    case ramp
    /// The unit takes it up as it renders; what it smooths it smooths.
    case live
    /// What enters fades in while what leaves fades out.
    case crossfade
    /// A sound goes over to another form of itself, at the same place of it.
    case continuation
    /// A sound goes over to another one, which begins.
    case beginning
    /// The unit is made anew beside the one that plays, then the sound goes over to it.
    case reinitialize
    /// The patch fades out, begins again, and has a gap.
    case restart

    /// In a few words.
    public var words: String {
      switch self {
      case .nothing: "nothing is heard"
      case .ramp: "ramp"
      case .live: "at once"
      case .crossfade: "crossfade"
      case .continuation: "crossfade, goes on"
      case .beginning: "crossfade, begins again"
      case .reinitialize: "re-initialize, then crossfade"
      case .restart: "restart: a gap"
      }
    }
  }

  /// The JSON Pointer of what differs.
  public var pointer: String
  /// What happens, as a sentence without a full stop: `volume goes from 0.8 to 0.5`.
  public var text: String
  public var heard: Heard

  public init(_ pointer: String, _ text: String, _ heard: Heard) {
    self.pointer = pointer
    self.text = text
    self.heard = heard
  }
}
