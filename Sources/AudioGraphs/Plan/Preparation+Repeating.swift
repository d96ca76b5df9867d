import AudioTypes
import AudioUnits

/// Large graphs have many nodes in a row with the same settings. Such a node is settled as the one
/// before it.
extension Preparer {
  /// A node that has been settled without violations, and the connection that alone feeds it.
  struct LastSettled {
    let node: GraphModel.Node
    let link: Connection
  }

  /// Settles a node as the last one, where all that its configuration and its violations depend on
  /// is the same: its type, its settings, which of its buses are used, the format that one connection
  /// brings, and whether it is pulled. Returns whether it did.
  mutating func settleAsLast(_ node: GraphModel.Node, _ feeding: NodeFeeds) -> Bool {
    guard doubtful.isEmpty, let last = lastSettled, let instance = node.instance,
      let lastInstance = last.node.instance, let link = feeding.onlyConnection,
      link.input == last.link.input,
      node.unit == last.node.unit, node.defaultFormat == last.node.defaultFormat,
      result.pulled.contains(node.id) == result.pulled.contains(last.node.id),
      let before = result.configurations[last.node.id],
      takesFromUnit(link), let outputs = result.configurations[link.source]?.outputs,
      outputs.indices.contains(link.output),
      outputs[link.output].format == before.inputs[link.input].format,
      let controls = instance.controls(ifConfiguredAs: lastInstance)
    else { return false }
    result.configurations[node.id] = before.again(
      input: link.input, from: .propagated(from: link.source, output: link.output),
      ditherSeed: Self.ditherSeed(node), controls: controls)
    noteLast(node, feeding)
    return true
  }

  /// Notes a node that has been settled without violations.
  mutating func noteLast(_ node: GraphModel.Node, _ feeding: NodeFeeds) {
    guard !node.isOutput, let link = feeding.onlyConnection, takesFromUnit(link) else {
      lastSettled = nil
      return
    }
    lastSettled = LastSettled(node: node, link: link)
  }

  /// Whether a connection comes from a unit that is no output unit, whose outputs have rules of their
  /// own.
  private func takesFromUnit(_ link: Connection) -> Bool {
    model.node(link.source)?.isOutput == false
  }

  /// The seed of the dither of a node's buses.
  static func ditherSeed(_ node: GraphModel.Node) -> UInt64 {
    UInt64(UInt32(bitPattern: node.id.rawValue))
  }
}
