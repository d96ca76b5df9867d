/// The changes since the run began, for undo and redo.
public struct ControlHistory: Hashable, Sendable {
  /// A change, or several consecutive ones that count as one gesture.
  public struct Step: Hashable, Sendable {
    /// The number of the step, from 1. It never changes.
    public var number: Int
    /// Seconds since the change.
    public var age: Double
    /// The source of the change.
    public var origin: ControlOrigin
    /// The effects of the change.
    public var effects: [ControlEffect]
    /// Whether the step is undone.
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

  /// The steps, the oldest first. Undone steps are last.
  public var steps: [Step]

  public init(steps: [Step]) { self.steps = steps }

  /// The number of the last step in effect. If no step is in effect: the number before the oldest
  /// known step, or 0 without steps.
  public var present: Int {
    steps.last { !$0.isUndone }?.number ?? (steps.first?.number).map { $0 - 1 } ?? 0
  }
}

/// A document of the history to play.
public enum ControlRewind: Hashable, Sendable {
  /// The document before the last step in effect.
  case undo
  /// The document after the first undone step.
  case redo
  /// The document after the step with this number; 0 for the beginning.
  case to(Int)
}
