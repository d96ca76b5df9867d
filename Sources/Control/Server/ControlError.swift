/// Why the control server cannot be started or reached.
public struct ControlError: Error, Hashable, Sendable {
  /// A sentence that starts in lower case.
  public var message: String
  /// What to do about it, one line each.
  public var help: [String]
  /// Whether the connection was lost after it was established.
  public var isLost: Bool

  public init(_ message: String, help: [String] = [], isLost: Bool = false) {
    self.message = message
    self.help = help
    self.isLost = isLost
  }
}
