extension GraphDrawing {
  /// The graph in the language of Graphviz, for `dot -Tpdf`.
  public func dot() -> String {
    let drawing = splittingIOUnits().withCommonFormatNote()
    let head = [title, drawing.commonFormat?.text ?? ""].filter { !$0.isEmpty }.map(Self.escaped)
    var lines = [
      "digraph patch {",
      "  graph [rankdir=LR, nodesep=0.3, ranksep=0.8, fontname=\"Helvetica\""
        + (head.isEmpty ? "" : ", labelloc=t, label=\(head.joined(separator: "\\n").quotes)")
        + "];",
      "  node [shape=plain, fontname=\"Helvetica\", fontsize=11];",
      "  edge [fontname=\"Helvetica\", fontsize=9, arrowsize=0.7];",
    ]
    var count = 0
    lines += drawing.parts().flatMap { drawing.lines($0, depth: 1, &count) }
    for edge in drawing.edges {
      let label = [edge.label.format, edge.label.origin].filter { !$0.isEmpty }
      let from = "n\(edge.source):out\(edge.output):e"
      let to = "n\(edge.destination):in\(edge.input):w"
      lines.append(
        "  \(from) -> \(to) ["
          + (edge.isTap
            ? "style=dashed, arrowhead=none"
            : label.isEmpty
              ? "" : "label=\(label.map(Self.escaped).joined(separator: "\\n").quotes)")
          + "];")
    }
    return (lines + ["}"]).joined(separator: "\n") + "\n"
  }

  /// The lines of a node, or of a sub-graph as a frame around its contents.
  private func lines(_ part: Part, depth: Int, _ count: inout Int) -> [String] {
    let margin = String(repeating: "  ", count: depth)
    switch part {
    case .node(let index): return ["\(margin)n\(index) [label=<\(table(nodes[index]))>];"]
    case .subgraph(let name, let parts):
      count += 1
      let head = [
        "\(margin)subgraph cluster_\(count) {",
        "\(margin)  graph [style=\"rounded,dashed\", color=\"#818b98\", fontsize=10, "
          + "label=\(Self.quoted(knobText(of: name).map { "\(name): \($0)" } ?? name))];",
      ]
      return head + parts.flatMap { lines($0, depth: depth + 1, &count) } + ["\(margin)}"]
    }
  }

  /// A table, so that buses keep their order: inputs at the left, the output at the right.
  private func table(_ node: Node) -> String {
    let markup = DrawingText.markup
    var head = "<B>\(markup(node.name))</B><BR/>\(markup(node.caption))"
    for text in node.settingTexts + node.facts {
      head += "<BR/><FONT POINT-SIZE=\"9\">\(markup(text))</FONT>"
    }
    for text in node.outputConversions { head += Self.mark(text) }
    let fed = node.fedInputs
    let cell = "BORDER=\"1\" SIDES="
    // The cell of the outputs is as high as those of the inputs together.
    let numbers = Set(node.outputs.map(\.number)).sorted()
    let output = numbers.first { $0 == (node.side == .microphone ? 1 : 0) } ?? 0
    let outputs = node.side == nil && numbers.count > 1 ? numbers : [output]
    guard fed.count > 1 || fed.first.map({ !$0.isBare }) == true else {
      let port = fed.first.map { " PORT=\"in\($0.number)\"" } ?? ""
      return
        "<TABLE BORDER=\"1\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"5\" STYLE=\"ROUNDED\">"
        + "<TR><TD\(port) WIDTH=\"4\"></TD><TD>\(head)</TD>"
        + Self.outlets(outputs, " WIDTH=\"4\"", "") + "</TR></TABLE>"
    }
    var rows: [String] = []
    for (index, element) in fed.enumerated() {
      var text = markup(element.label)
      // A break aligns the line before it, so the last line needs one too.
      let settings = element.settings.shownTexts
      if !settings.isEmpty { text += Self.leftEnd }
      for setting in settings { text += markup(setting) + Self.leftEnd }
      for conversion in element.conversions { text += Self.mark(conversion.text) }
      let port = "<TD PORT=\"in\(element.number)\" \(cell)\"TR\">"
      rows.append(
        "<TR>\(port)<FONT POINT-SIZE=\"9\">\(text)</FONT></TD>"
          + (index == 0
            ? Self.outlets(outputs, " ROWSPAN=\"\(fed.count)\" \(cell)\"T\"", " ") : "")
          + "</TR>")
    }
    return
      "<TABLE BORDER=\"1\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"5\" STYLE=\"ROUNDED\">"
      + "<TR><TD COLSPAN=\"2\">\(head)</TD></TR>" + rows.joined() + "</TABLE>"
  }

  /// The cell where edges begin. It contains a cell for each output, if there are several.
  private static func outlets(_ outputs: [Int], _ attributes: String, _ text: String) -> String {
    guard outputs.count > 1 else {
      return "<TD PORT=\"out\(outputs[0])\"\(attributes)>\(text)</TD>"
    }
    let rows = outputs.map {
      "<TR><TD PORT=\"out\($0)\"><FONT POINT-SIZE=\"9\">\($0)</FONT></TD></TR>"
    }
    return "<TD\(attributes)><TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\">"
      + rows.joined() + "</TABLE></TD>"
  }

  private static let leftEnd = "<BR ALIGN=\"LEFT\"/>"

  private static func mark(_ text: String) -> String {
    "<BR/><FONT POINT-SIZE=\"9\" COLOR=\"#bc4c00\">\(DrawingText.markup(text))</FONT>"
  }

  /// Graphviz reads entities and backslashes within quotes too.
  private static func escaped(_ text: String) -> String {
    DrawingText.markup(text).replacing("\\", with: "\\\\")
  }

  private static func quoted(_ text: String) -> String { escaped(text).quotes }
}

extension String {
  fileprivate var quotes: String { "\"\(self)\"" }
}

extension GraphDrawing.Element {
  /// Whether the bus has no name, no settings and no conversions.
  var isBare: Bool { name == nil && settings.isEmpty && conversions.isEmpty }
}
