import AudioGraphs
import AudioTypes
import AudioUnits
import PatchSyntax
import RenderCore

extension GraphBuilder {
  // MARK: Nodes

  /// Adds the node at an index of the document. Returns its identity and its unit; `nil` where
  /// there is an error.
  mutating func addNode(_ index: Int) -> (id: NodeID, unit: UnitInstance)? {
    let name = document.nodes[index].name
    guard document.nodes[index].value.subgraph == nil, let kind = unit(of: index, named: name)
    else {
      doubts.names.insert(name)
      doubts.raise(.gaps)
      return nil
    }
    do throws(Violation) {
      let counts =
        hasTooManyBuses ? (input: nil, output: nil) : document.nodes[index].value.busCounts
      let (id, made) = try graph.addNode(
        of: document.nodes[index].value.endsSubgraph ? SubgraphOutput.self : kind, name: name,
        inputCount: counts.input)
      guard let made else { return nil }
      if !document.subgraphs.isEmpty { setDefaultFormat(of: id, document.nodes[index].value) }
      if !layout.add(id, named: name) {
        hasDuplicateNames = true
        lastNode = nil
      }
      places.record(made, at: index, as: id)
      if !unread.nodes.isEmpty, unread.nodes.contains(name) {
        doubts.raise(.unreadNode, about: id)
        doubts.raise(.format, about: id)
      }
      if let count = counts.input, made.description.inputs.settable?.contains(count) != true,
        let count = document.nodes[index].value.inputCount
      {
        // The unit refuses a count that it cannot have.
        setCount(count, .input, id, made)
      }
      if counts.output != nil, let count = document.nodes[index].value.outputCount {
        setCount(count, .output, id, made)
      }
      return (id, made)
    } catch {
      doubts.names.insert(name)
      doubts.raise(.gaps)
      report(error, at: document.nodes[index].value.component?.json)
      return nil
    }
  }

  /// The unit of a node; `nil` where it has none, which is reported.
  private mutating func unit(of index: Int, named name: String) -> (any AudioUnit.Type)? {
    // Most nodes are units of the kind of the one before.
    if let unit = lastComponent?.unit, lastComponent?.index == index - 1,
      document.isNodeAsBefore(index)
    {
      lastComponent?.index = index
      return unit
    }
    if let last = lastComponent, document.nodes[index].value.isUnit(named: last.name) {
      lastComponent?.index = index
      return last.unit
    }
    guard let component = document.nodes[index].value.component else { return nil }
    switch ComponentResolver.resolve(component, node: name) {
    case .failure(let failure):
      if let diagnostic = failure.diagnostic { report(diagnostic) }
      return nil
    case .success(let unit):
      if case .name(let name) = component.value { lastComponent = (index, name, unit) }
      return unit
    }
  }

  /// Gives a node of a sub-graph the default stream format of that sub-graph.
  mutating func setDefaultFormat(of id: NodeID, _ node: PatchDocument.Node) {
    guard let index = document.subgraphNumber(around: node.json) else { return }
    let subgraph = document.subgraphs[index]
    if subgraph.isFormatWrong || subgraph.streamFormat != nil && defaultFormats[index] == nil {
      doubts.raise(.defaultFormat, about: id)
    } else if let format = defaultFormats[index] {
      try? graph.setDefaultStreamFormat(format, of: id)
    }
  }

  mutating func setCount(
    _ count: Located<Int>, _ scope: Scope, _ id: NodeID, _ unit: UnitInstance
  ) {
    do throws(Violation) {
      try unit.setProperty(
        .elementCount, scope, 0, to: .uint32(UInt32(clamping: count.value)))
    } catch {
      report(error.at(node: id), at: count.json)
      doubts.raise(.feeds, about: id)
      missingBuses.mark(.init(node: id, scope: scope))
    }
  }
}
