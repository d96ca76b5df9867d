/// Why the control room cannot be opened, or reached.
public struct ControlError: Error, Hashable, Sendable {
  /// A sentence that starts in lower case.
  public var message: String
  /// What to do about it, a line each.
  public var help: [String]
  /// Whether the other side was there, and has gone.
  public var isLost: Bool

  public init(_ message: String, help: [String] = [], isLost: Bool = false) {
    self.message = message
    self.help = help
    self.isLost = isLost
  }
}
