/// One difference between two patches, and how it is heard when a playing patch changes from one to
/// the other.
public struct PatchChange: Hashable, Sendable {
  /// How a change is heard.
  public enum Heard: String, Hashable, Sendable, CaseIterable {
    /// Not at all.
    case nothing
    /// A parameter glides to its new value.
    case ramp
    /// The unit applies it while it renders, smoothed where the unit smooths it.
    case live
    /// The new sound fades in while the old one fades out.
    case crossfade
    /// A crossfade to another form of the same sound, at the same position.
    case continuation
    /// A crossfade to a sound that begins.
    case beginning
    /// A new unit is initialized beside the one that plays, and the sound crossfades to it.
    case reinitialize
    /// The patch fades out and starts again, with a gap between.
    case restart

    /// The words for it in listings.
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

  /// The JSON Pointer of what differs; empty for the whole patch.
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
