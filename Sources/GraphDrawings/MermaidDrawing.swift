extension GraphDrawing {
  /// The graph as a Mermaid flowchart, which GitHub shows in a block of Markdown.
  public func mermaid() -> String {
    let drawing = splittingIOUnits().withCommonFormatNote()
    var lines: [String] = []
    let format = drawing.commonFormat?.text
    let head = title.isEmpty ? format ?? "" : title + (format.map { ". \($0)" } ?? "")
    if !head.isEmpty {
      lines += ["---", "title: \(Self.yaml(head))", "---"]
    }
    lines.append("flowchart LR")
    var count = 0
    lines += drawing.parts().flatMap { drawing.lines($0, depth: 1, &count) }
    for edge in drawing.edges {
      let ends = ("n\(edge.source)", "n\(edge.destination)")
      if edge.isTap {
        lines.append("  \(ends.0) -.-> \(ends.1)")
        continue
      }
      var texts = [edge.label.format, edge.label.origin].filter { !$0.isEmpty }
      let destination = drawing.nodes[edge.destination]
      if destination.fedInputs.count > 1 { texts.append("to input \(edge.input)") }
      let label = texts.map(Self.escaped).joined(separator: "<br/>")
      lines.append(
        label.isEmpty ? "  \(ends.0) --> \(ends.1)" : "  \(ends.0) -- \"\(label)\" --> \(ends.1)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The lines of a node, or of a sub-graph as a frame around its contents.
  private func lines(_ part: Part, depth: Int, _ count: inout Int) -> [String] {
    let margin = String(repeating: "  ", count: depth)
    switch part {
    case .node(let index):
      let node = nodes[index]
      let shape =
        switch (node.kind, node.side) {
        case (.callback, _): ("([", "])")
        case (.tap, _): ("[/", "/]")
        case (.unit, _): ("[", "]")
        }
      return ["\(margin)n\(index)\(shape.0)\"\(label(node))\"\(shape.1)"]
    case .subgraph(let name, let parts):
      count += 1
      let title = knobText(of: name).map { "\(name): \($0)" } ?? name
      return ["\(margin)subgraph s\(count)[\"\(Self.escaped(title))\"]"]
        + parts.flatMap { lines($0, depth: depth + 1, &count) } + ["\(margin)end"]
    }
  }

  private func label(_ node: Node) -> String {
    var lines = ["<b>\(Self.escaped(node.name))</b>", Self.escaped(node.caption)]
    lines += (node.settingTexts + node.facts).map(Self.escaped)
    let several = node.fedInputs.count > 1
    for element in node.fedInputs {
      let texts = element.settings.shownTexts + element.conversions.map(\.text)
      guard !texts.isEmpty || element.name != nil else { continue }
      let head = several || element.name != nil ? "\(element.label): " : ""
      lines.append(Self.escaped(head + texts.joined(separator: ", ")))
    }
    lines += node.outputConversions.map(Self.escaped)
    return lines.joined(separator: "<br/>")
  }

  /// Text for quotes, in which each special character is written as its number.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in DrawingText.line(text).unicodeScalars {
      switch scalar {
      case _ where !scalar.isASCII, " ", ",", ".", ":", "-", "/", "0"..."9", "a"..."z", "A"..."Z":
        result.unicodeScalars.append(scalar)
      default: result += "#\(scalar.value);"
      }
    }
    return result
  }

  private static func yaml(_ text: String) -> String {
    "\""
      + DrawingText.line(text).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
