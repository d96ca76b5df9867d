public import AudioTypes
import AudioUnits
import RenderCore

/// A parameter that moves to a value at a time that is known beforehand, from where it is then.
public struct ParameterRamp: Hashable, Sendable {
  /// The course it takes.
  public enum Curve: String, Hashable, Sendable, CaseIterable {
    /// A straight line.
    case linear
    /// By the same factor in each frame, as loudness and pitch are heard. Both ends have to be on one
    /// side of zero; where they turn out not to be when the ramp begins, it is a straight line.
    case exponential
  }

  public var node: NodeID
  public var parameter: UInt32
  public var scope: Scope
  public var element: Int
  /// Seconds from the start of the graph.
  public var start: Double
  /// In seconds; 0 for a change at once, which the unit smooths as any other.
  public var duration: Double
  public var target: Float
  public var curve: Curve

  public init(
    _ parameter: UInt32, _ scope: Scope = .global, _ element: Int = 0, of node: NodeID,
    to target: Float, at start: Double, duration: Double = 0, curve: Curve = .linear
  ) {
    self.node = node
    self.parameter = parameter
    self.scope = scope
    self.element = element
    self.start = start
    self.duration = duration
    self.target = target
    self.curve = curve
  }

  /// Whether both move the same parameter.
  public func movesSame(as other: ParameterRamp) -> Bool { place == other.place }

  var place: Violation.Place { .init(node: node, .parameter(parameter, scope, element)) }

  /// Whether both move the same parameter at the same time.
  func overlaps(_ other: ParameterRamp) -> Bool {
    guard place == other.place else { return false }
    let (first, second) = start <= other.start ? (self, other) : (other, self)
    return first.start == second.start || first.start + first.duration > second.start
  }

  /// The same in frames of a plan.
  ///
  /// - Parameter rate: The plan's, in Hz.
  func ramp(_ unit: UnitInstance, rate: Double) throws(Violation) -> RenderTimeline.Ramp {
    let control = try unit.rampControl(parameter, scope, element, to: target)
    let first = (start * rate).rounded()
    let last = ((start + duration) * rate).rounded()
    return RenderTimeline.Ramp(
      block: control.block, index: control.index, start: Int(first), length: Int(last - first),
      target: target, isExponential: curve == .exponential)
  }
}
