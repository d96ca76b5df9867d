import AudioTypes
public import PatchSyntax

extension GraphDrawing {
  /// The output of `patchrun show --format json`. While `version` is 1, members may be added, but
  /// existing ones stay and keep their meaning.
  ///
  /// - Parameter expanded: The patch written out, for the member `document`; `nil` to leave that
  ///   out.
  public func json(expanded: JSONText? = nil) -> String {
    var document: JSONText = [
      "version": 1,
      "title": .string(title),
      "nodes": .array(nodes.filter { $0.kind == .unit }.map(unit)),
      "callbacks": .array(
        nodes.filter { $0.kind == .callback }.map { node in
          let members: JSONText = [
            "name": .string(node.name),
            "kind": .string(node.type),
            "settings": settings(node.settings),
            "conversions": .array(
              (node.inputs + node.outputs).flatMap(\.conversions).map(conversion)),
          ]
          return members.adding(place(node))
        }),
      "connections": .array(edges.filter { !$0.isTap }.map(connection)),
      "taps": .array(
        edges.filter(\.isTap).map { edge in
          let node = nodes[edge.destination]
          let members: JSONText = [
            "name": .string(node.name),
            "kind": .string(node.type),
            "at": end(edge.source, edge.output),
            "streamFormat": format(edge.format),
            "settings": settings(node.settings),
          ]
          return members.adding(place(node))
        }),
    ]
    if !subgraphs.isEmpty {
      document = document.adding([
        "subgraphs": .array(
          subgraphs.map { ["name": .string($0), "knobs": settings(knobs[$0] ?? [])] })
      ])
    }
    if let expanded { document = document.adding(["document": expanded]) }
    return document.document
  }

  private func unit(_ node: Node) -> JSONText {
    let component = node.component
    let members: JSONText = [
      "name": .string(node.name),
      "unit": .string(node.type),
      "component": [
        "type": code(component?.type),
        "subtype": code(component?.subtype),
        "manufacturer": code(component?.manufacturer),
      ],
      "settings": settings(node.settings),
      "latency": .number(node.latency),
      "inputCount": .number(node.inputCount),
      "inputs": .array(node.inputs.map(element)),
      "outputs": .array(node.outputs.map(element)),
    ]
    return members.adding(place(node))
  }

  /// The member for the sub-graph that contains a node; none for a node of the patch itself.
  private func place(_ node: Node) -> JSONText {
    node.subgraph.map { ["subgraph": .string($0)] } ?? [:]
  }

  private func element(_ element: Element) -> JSONText {
    [
      "element": .number(element.number),
      "name": element.name.map(JSONText.string) ?? .null,
      "used": .boolean(element.isUsed),
      "streamFormat": format(element.format),
      "origin": origin(element.origin),
      "settings": settings(element.settings),
      "conversions": .array(element.conversions.map(conversion)),
    ]
  }

  private func connection(_ edge: Edge) -> JSONText {
    [
      "from": end(edge.source, edge.output),
      "to": end(edge.destination, edge.input),
      "streamFormat": format(edge.format),
      "origin": origin(edge.origin),
      "latency": .number(edge.latency),
      "delay": .number(edge.delay),
    ]
  }

  private func end(_ index: Int, _ element: Int) -> JSONText {
    let node = nodes[index]
    guard node.kind == .unit else { return ["callback": .string(node.name)] }
    return ["node": .string(node.name), "element": .number(element)]
  }

  private func code(_ code: FourCharCode?) -> JSONText {
    guard let code else { return .null }
    return .string(code.text ?? "\(code)")
  }

  private func settings(_ settings: [Setting]) -> JSONText {
    .object(settings.map { .init($0.name, $0.value) })
  }

  private func format(_ format: StreamFormat?) -> JSONText {
    guard let format else { return .null }
    return [
      "sample": .string(format.sampleType?.rawValue ?? "\(format.bitsPerChannel)-bit PCM"),
      "channels": .number(format.channelCount),
      "sampleRate": .number(format.sampleRate),
      "interleaved": .boolean(format.isInterleaved),
    ]
  }

  private func origin(_ origin: Origin?) -> JSONText {
    guard let origin else { return .null }
    return [
      "kind": .string(origin.kind.rawValue),
      "node": .string(origin.node),
      "scope": .string("\(origin.scope)"),
      "element": .number(origin.element),
    ]
  }

  private func conversion(_ conversion: Conversion) -> JSONText {
    [
      "kind": .string(conversion.kind.rawValue),
      "from": .string(conversion.from),
      "to": .string(conversion.to),
    ]
  }
}
