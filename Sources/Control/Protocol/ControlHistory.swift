/// What has been changed since the run began, and can be taken back.
public struct ControlHistory: Hashable, Sendable {
  /// One change, or several in a row that are one gesture.
  public struct Step: Hashable, Sendable {
    /// Counted from 1 on. A step keeps its number.
    public var number: Int
    /// How long ago it was made, in seconds.
    public var age: Double
    /// Who has asked for it.
    public var origin: ControlOrigin
    /// What it has changed.
    public var effects: [ControlEffect]
    /// Whether it has been taken back.
    public var isUndone: Bool

    public init(
      number: Int, age: Double, origin: ControlOrigin, effects: [ControlEffect], isUndone: Bool
    ) {
      self.number = number
      self.age = age
      self.origin = origin
      self.effects = effects
      self.isUndone = isUndone
    }
  }

  /// The oldest first. Those that have been taken back are the last.
  public var steps: [Step]

  public init(steps: [Step]) { self.steps = steps }

  /// The number of the last step that holds; of what played in the beginning 0, or what the oldest step that is
  /// known was made on.
  public var present: Int {
    steps.last { !$0.isUndone }?.number ?? (steps.first?.number).map { $0 - 1 } ?? 0
  }
}

/// Which document is to play again.
public enum ControlRewind: Hashable, Sendable {
  /// The one before the last step that holds.
  case back
  /// The one after the first step that was taken back.
  case forth
  /// The one that a step has made, by its number; 0 for what played in the beginning.
  case to(Int)
}
