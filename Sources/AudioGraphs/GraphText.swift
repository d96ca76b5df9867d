public import AudioTypes
import AudioUnits

extension AudioGraph {
  /// The graph as `CAShow` prints it, the same text every time: names replace the addresses that
  /// Core Audio prints.
  ///
  /// Below Core Audio's part it lists the origin of each stream format. `O` after a node marks an
  /// open unit, `I` an initialized one.
  ///
  /// - Parameters:
  ///   - title: The graph's title.
  ///   - callbackName: The name of a callback, by the node, the input element that is fed, and how
  ///     many pulls behind it the callback is, 0 for the one that feeds it; `nil` for the name of
  ///     its type.
  public func show(
    title: String = "", callbackName: (NodeID, Int, Int) -> String? = { _, _, _ in nil }
  ) -> String {
    let configurations = configurations
    let shown = nodes.compactMap { id in
      (try? nodeInfo(id)).map { ShownNode(id: id, info: $0, configuration: configurations[id]) }
    }
    let names = Dictionary(uniqueKeysWithValues: shown.map { ($0.id, $0.name) })
    let places = Dictionary(uniqueKeysWithValues: shown.map { ($0.id, $0) })
    var lines = [
      "AudioUnitGraph\(title.isEmpty ? "" : " '\(onOneLine(title))'"):", "  Member Nodes:",
    ]
    for node in shown {
      let codes = node.component
      lines.append(
        "    node \(node.id.rawValue): \(codes.type) \(codes.subtype) \(codes.manufacturer), "
          + "instance \(node.name) \(isOpen ? "O" : "-")\(node.isInitialized ? "I" : "")"
          + node.labels.map { "  \"\($0)\"" }.joined())
    }
    var connections: [String] = []
    var callbacks: [String] = []
    for interaction in interactions {
      let destination = place(interaction.destination, interaction.input)
      let format = places[interaction.destination]?.format(.input, interaction.input)
      switch interaction {
      case .connection(let connection):
        let source = places[connection.source]?.format(.output, connection.output)
        connections.append(
          "    \(place(connection.source, connection.output)) => \(destination)"
            + (source.map { "  [\($0)]" } ?? ""))
      case .callback(let callback):
        let names = callback.chain.reversed().enumerated().map { behind, link in
          callbackName(callback.destination, callback.input, behind).map(onOneLine)
            ?? "\(type(of: link.original))"
        }
        let text = format.map { "  [\($0.channelCount) ch, \(rateText($0.sampleRate)) Hz]" } ?? ""
        let before = callback.source.map { ["\(place($0.node, $0.bus))"] } ?? []
        callbacks.append(
          "    "
            + (before + names.reversed().map { "{\($0)}" } + [destination])
            .joined(separator: " => ") + text)
      }
    }
    lines += ["  Connections:"] + connections + ["  Input Callbacks:"] + callbacks
    lines += [
      "  CurrentState:",
      "    mLastUpdateError=\(lastUpdateError.rawValue), eventsToProcess=\(flag(pendingEditCount > 0)), "
        + "isInitialized=\(flag(isInitialized)), isRunning=\(flag(isRunning))",
      "  Stream Formats:",
    ]
    for node in shown { lines += node.formatLines(names: names) }
    let late = latencies()
    let delays = shown.flatMap { node -> [String] in
      let inputs = (node.configuration?.inputs.indices ?? 0..<0).compactMap { input -> String? in
        let delay = late.delay(ofInput: input, of: node.id)
        guard delay > 0 else { return nil }
        return "    \(node.name) input \(input): delayed by \(delay) frames, to meet the others"
      }
      let latency = late.output(of: node.id)
      guard latency > 0 else { return inputs }
      return inputs + ["    \(node.name): \(LatencyText.milliseconds(latency)) ms late"]
    }
    if !delays.isEmpty { lines += ["  Latencies:"] + delays }
    return lines.joined(separator: "\n") + "\n"
  }

  private func place(_ node: NodeID, _ bus: Int) -> String {
    "node \(padded(Int(node.rawValue))) bus \(padded(bus))"
  }

  private func padded(_ number: Int) -> String {
    let text = String(number)
    return String(repeating: " ", count: max(0, 4 - text.count)) + text
  }

  private func flag(_ value: Bool) -> String { value ? "T" : "F" }
}

/// A name on one line of a listing: characters that break the line, or control a terminal, are
/// written as their numbers.
private func onOneLine(_ name: String) -> String {
  var text = ""
  for scalar in name.unicodeScalars {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator:
      text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    // Characters that change the direction of the text, or hide it. U+200D joins emoji and stays.
    case .format where scalar.value != 0x200D:
      text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    default: text.unicodeScalars.append(scalar)
    }
  }
  return text
}

/// A node with its settled configuration.
private struct ShownNode {
  let id: NodeID
  let component: ComponentDescription
  let name: String
  let isInitialized: Bool
  let configuration: UnitConfiguration?
  private let unit: UnitInstance?

  init(
    id: NodeID, info: (component: ComponentDescription, name: String, unit: UnitInstance?),
    configuration: UnitConfiguration?
  ) {
    self.id = id
    component = info.component
    name = onOneLine(info.name)
    isInitialized = info.unit?.isInitialized == true
    unit = info.unit
    self.configuration = configuration
  }

  /// The unit's own name, and its context name.
  var labels: [String] {
    var labels: [String] = []
    if let name = unit?.elementName(.global, 0) { labels.append(onOneLine(name)) }
    if case .string(let context)? = try? unit?.property(.contextName) {
      labels.append(onOneLine(context))
    }
    return labels
  }

  func format(_ scope: Scope, _ element: Int) -> StreamFormat? {
    let elements = (scope == .input ? configuration?.inputs : configuration?.outputs) ?? []
    return elements.indices.contains(element) ? elements[element].format : nil
  }

  /// A line for each element that is used, has a name, or whose format has been decided.
  func formatLines(names: [NodeID: String]) -> [String] {
    guard let configuration else { return [] }
    var lines: [String] = []
    for (scope, elements) in [
      (Scope.input, configuration.inputs), (.output, configuration.outputs),
    ] {
      for (number, element) in elements.enumerated() {
        let label = unit?.elementName(scope, number).map(onOneLine)
        guard element.isUsed || element.origin.isDecision(scope) || label != nil else { continue }
        lines.append(
          "    \(name) \(scope) \(number)\(label.map { " \"\($0)\"" } ?? ""): "
            + "\(element.format.summary)\(dither(scope, number))  "
            + "(\(element.origin.text(names: names)))")
      }
    }
    return lines
  }

  /// `, tpdf dither`; empty where the element does not dither.
  private func dither(_ scope: Scope, _ element: Int) -> String {
    guard let dither = configuration?.dither(scope, element).dither, dither != .none else {
      return ""
    }
    return ", \(dither.rawValue) dither"
  }
}

extension FormatOrigin {
  /// Whether a format of this origin is listed for a bus that is not used. A mixer has many unused
  /// inputs.
  fileprivate func isDecision(_ scope: Scope) -> Bool {
    switch self {
    case .given, .rateGiven, .hardware: true
    case .graphDefault, .propagated, .followsInput: scope == .output
    case .initial: false
    }
  }

  fileprivate func text(names: [NodeID: String]) -> String {
    switch self {
    case .initial: "as the unit came"
    case .given: "set here"
    case .rateGiven: "the rate set here"
    case .graphDefault: "the graph's streamFormat"
    case .propagated(let source, let output):
      "from \(names[source] ?? "node \(source.rawValue)")\(output == 0 ? "" : ":\(output)")"
    case .hardware: "the device's"
    case .followsInput: "as input 0"
    }
  }
}
