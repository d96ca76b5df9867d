import AudioTypes
import AudioUnits

extension Preparer {
  /// Sets the formats of outputs that follow the inputs, except those that a client has set, which
  /// the unit checks. Returns whether the unit's outputs follow its inputs.
  func followInputs(
    _ node: GraphModel.Node, _ configuration: inout UnitConfiguration
  ) -> Bool {
    let inputs = configuration.inputs
    guard node.unit.outputFormat(0, following: inputs) != nil else { return false }
    for index in configuration.outputs.indices {
      guard let format = node.unit.outputFormat(index, following: inputs) else { continue }
      switch configuration.outputs[index].origin {
      case .given: break
      case .rateGiven:
        let rate = configuration.outputs[index].format.sampleRate
        configuration.outputs[index].format = format
        configuration.outputs[index].format.sampleRate = rate
      default:
        configuration.outputs[index].format = format
        configuration.outputs[index].origin = .followsInput
      }
    }
    return true
  }

  /// Gives unused inputs a format, so that they can be connected while the graph plays: the graph's
  /// format if the unit takes it, otherwise their initial one, at the output's rate.
  func prepareSpares(_ node: GraphModel.Node, _ configuration: inout UnitConfiguration) {
    let rate = configuration.outputs[0].format.sampleRate
    for index in configuration.inputs.indices
    where !configuration.inputs[index].isUsed && configuration.inputs[index].origin == .initial {
      if let format = defaultFormat(node), format.sampleRate == rate,
        node.unit.violation(of: format, scope: .input, element: index) == nil
      {
        configuration.inputs[index].format = format
        configuration.inputs[index].origin = .graphDefault
      } else {
        // The origin stays `.initial`: see `settleGiven(_:_:)`.
        configuration.inputs[index].format.sampleRate = rate
      }
    }
  }

  /// The format to propose for an input of a unit: the one set on the output of an effect, whose
  /// two formats are equal. The effect is the unit itself, or the next one behind units whose
  /// outputs follow their inputs.
  func formatWanted(from node: GraphModel.Node) -> StreamFormat? {
    // No proposal is needed where the graph has a default format.
    guard defaultFormat(node) == nil else { return nil }
    var node = node
    for _ in model.nodes {
      guard let configuration = node.instance?.configuration() else { return nil }
      if node.component.type == .effectType {
        let output = configuration.outputs[0]
        return output.origin == .given ? output.format : nil
      }
      guard node.unit.outputFormat(0, following: configuration.inputs) != nil,
        configuration.inputs.count == 1,
        let taker = model.outputLinks[BusKey(node: node.id, bus: 0)],
        let next = model.node(taker.destination)
      else { return nil }
      node = next
    }
    return nil
  }
}
