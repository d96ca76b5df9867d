public import PatchSyntax

/// All settings of a patch, in its order.
public struct ControlSettings: Hashable, Sendable {
  /// The entity tag of the document.
  public var tag: String
  public var settings: [PatchControl]

  public init(tag: String, settings: [PatchControl]) {
    self.tag = tag
    self.settings = settings
  }
}
