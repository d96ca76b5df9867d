package import AudioTypes
import AudioUnits
import Synchronization

extension AudioGraph {
  /// A copy of the graph for trying a change: the same nodes, interactions and taps, open, not
  /// initialized, without a device. This graph is not changed.
  ///
  /// The two graphs share their units, except those of `copied` and `renewed`. A change that sets
  /// something on a unit, or changes its inputs or outputs, must include the unit's node in one of
  /// them.
  ///
  /// - Parameters:
  ///   - copied: Nodes that get a copy of their unit, with the same settings.
  ///   - renewed: Nodes that get a new unit, with its initial settings.
  package func fork(copying copied: Set<NodeID>, renewing renewed: Set<NodeID>) -> AudioGraph {
    let fork = AudioGraph(assuming: grant, catalog: catalog)
    let original = state.withLock { state in
      (
        model: state.model, defaultFormat: state.defaultFormat, nextToken: state.nextToken,
        isOpen: state.isOpen, settled: state.settled, memoryLimit: state.memoryLimit
      )
    }
    var model = original.model
    for (index, node) in model.nodes.enumerated() {
      if renewed.contains(node.id) {
        model.setInstance(fork.makeInstance(node.unit), at: index)
      } else if copied.contains(node.id), let copy = node.instance?.copy() {
        copy.setHost(fork.unitHost)
        model.setInstance(copy, at: index)
      }
    }
    let own = copied.union(renewed)
    for interaction in model.interactions
    where own.contains(interaction.destination)
      || interaction.link.map({ own.contains($0.source) }) == true
    {
      model.mark(interaction, isThere: true)
    }
    fork.state.withLock { state in
      state.model = model
      state.defaultFormat = original.defaultFormat
      state.memoryLimit = original.memoryLimit
      state.nextToken = original.nextToken
      state.isOpen = original.isOpen
      state.settled = original.settled
    }
    return fork
  }
}
