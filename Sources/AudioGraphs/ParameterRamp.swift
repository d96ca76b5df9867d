public import AudioTypes
import AudioUnits
import RenderCore

/// A ramp of one parameter at a fixed time, from the value it has then to a target.
public struct ParameterRamp: Hashable, Sendable {
  /// The shape of a ramp.
  public typealias Curve = RampCurve

  /// The node whose parameter moves, or whose input the callback feeds.
  public var node: NodeID
  /// The number of the parameter or, where `callback` is given, of the live setting.
  public var parameter: UInt32
  /// The scope that has the parameter.
  public var scope: Scope
  /// The element of the scope, from 0.
  public var element: Int
  /// Seconds from the start of the graph.
  public var start: Double
  /// In seconds; 0 for an immediate change, which the unit smooths as any other.
  public var duration: Double
  /// The value at the end. Beyond the range of a circular parameter (`ParameterInfo.isCircular`)
  /// the ramp wraps around.
  public var target: Float
  /// Linear or exponential.
  public var curve: Curve
  /// For a live setting of a callback: how many pulls behind the input `element` the callback is, 0
  /// for the one that feeds it. `nil` for a parameter of the unit.
  public var callback: Int?

  /// A ramp of a live setting.
  ///
  /// - Parameters:
  ///   - setting: Its number (`LiveSetting.id`).
  ///   - input: The input that the callback feeds, directly or through callbacks that pull it.
  ///   - behind: The number of pulls from the input to the callback: 0 for the one that feeds it.
  public init(
    setting: UInt32, ofCallbackAt input: Int, of node: NodeID, behind: Int = 0,
    to target: Float, at start: Double, duration: Double = 0, curve: Curve = .linear
  ) {
    self.init(
      setting, .input, input, of: node, to: target, at: start, duration: duration, curve: curve)
    callback = behind
  }

  /// A ramp of a parameter of a unit; times are in seconds.
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

  /// What a ramp moves.
  public struct Target: Hashable, Sendable {
    var place: Violation.Place
    var parameter: UInt32
  }

  /// What the ramp moves. If two ramps move the same target at one time, the later one applies.
  public var movedTarget: Target { Target(place: place, parameter: parameter) }

  var place: Violation.Place {
    guard let callback else { return .init(node: node, .parameter(parameter, scope, element)) }
    return .init(
      node: node, callback == 0 ? .feed(element) : .callback(element, behind: callback))
  }

  /// The callback whose setting moves; `nil` for a unit's parameter, and where no such callback
  /// feeds the input.
  func instance(in model: GraphModel) -> CallbackInstance? {
    guard let callback,
      case .callback(let feed)? = model.feeds[BusKey(node: node, bus: element)],
      feed.instances.indices.contains(callback)
    else { return nil }
    return feed.instances[callback]
  }

  /// The tolerance for sums of times, in seconds: far less than a frame. 0.1 + 0.2 is more than
  /// 0.3.
  package static let slack = 1e-9

  /// Whether both move the same parameter and overlap in time.
  func overlaps(_ other: ParameterRamp) -> Bool {
    guard movedTarget == other.movedTarget else { return false }
    let (first, second) = start <= other.start ? (self, other) : (other, self)
    return first.start == second.start
      || first.start + first.duration > second.start + Self.slack
  }

  /// The control that it moves; `nil` where the unit or the callback is not there.
  func control(
    in model: GraphModel
  ) throws(Violation) -> (block: ControlBlock, index: Int)? {
    do throws(Violation) {
      guard callback == nil else {
        guard let instance = instance(in: model) else { return nil }
        return try LiveSettingsMove.control(of: self, instance)
      }
      return try model.node(node)?.instance?
        .rampControl(parameter, scope, element, to: target, goesAround: true)
    } catch {
      throw error.at(node: node)
    }
  }

  /// The ramp in frames of a plan; `nil` where nothing moves.
  ///
  /// - Parameter rate: The plan's, in Hz.
  func ramp(
    in model: GraphModel, rate: Double
  ) throws(Violation) -> RenderTimeline.Ramp? {
    guard let control = try control(in: model) else { return nil }
    let first = (start * rate).rounded()
    let last = ((start + duration) * rate).rounded()
    var ramp = RenderTimeline.Ramp(
      block: control.block, index: control.index, start: Int(first), length: Int(last - first),
      target: target, isExponential: curve == .exponential)
    if callback == nil, let info = model.node(node)?.instance?.parameterInfo(parameter, scope),
      info.isCircular
    {
      ramp.circle = info.range
    }
    return ramp
  }
}
