/// The share of the rendering time that each box of a drawing takes.
extension GraphDrawing {
  /// Shares of the rendering time, each from 0 to 1, by the names of the boxes.
  public struct Heat: Hashable, Sendable {
    public var units: [String: Double]
    public var callbacks: [String: Double]
    public var taps: [String: Double]

    public init(
      units: [String: Double] = [:], callbacks: [String: Double] = [:], taps: [String: Double] = [:]
    ) {
      self.units = units
      self.callbacks = callbacks
      self.taps = taps
    }
  }

  /// The drawing in which each box shows its share.
  public func heated(by heat: Heat) -> GraphDrawing {
    var result = self
    for index in nodes.indices {
      let name = nodes[index].name
      result.nodes[index].share =
        switch nodes[index].kind {
        case .unit: heat.units[name]
        case .callback: heat.callbacks[name]
        case .tap: heat.taps[name]
        }
    }
    return result
  }

  /// A step of the scale of shares.
  struct HeatStep {
    /// The smallest share in the step.
    var from: Double
    var text: String
  }

  static let heatScale = [
    HeatStep(from: 0, text: "under 1 %"), HeatStep(from: 0.01, text: "1 to 5 %"),
    HeatStep(from: 0.05, text: "5 to 20 %"), HeatStep(from: 0.2, text: "20 to 50 %"),
    HeatStep(from: 0.5, text: "50 % and more"),
  ]
}

extension GraphDrawing.Node {
  /// The index of the step that the node's share is in; `nil` where the share is not measured.
  var heatStep: Int? {
    share.flatMap { share in GraphDrawing.heatScale.lastIndex { $0.from <= share } }
  }

  /// `61.2 % of the rendering`.
  var shareText: String? {
    guard let share else { return nil }
    let tenths = Int((min(max(share, 0), 1) * 1000).rounded())
    return "\(tenths / 10).\(tenths % 10) % of the rendering"
  }
}
