import AudioTypes

extension GraphDrawing {
  /// The graph as a picture, light or dark as the viewer prefers.
  public func svg() -> String {
    SVGPage(FramedLayout(splittingIOUnits().withCommonFormatNote())).document()
  }

  /// The same picture for a page that styles its classes: `box`, `wire`, `head`, `bus` and those of
  /// the texts. Nodes, buses and connections have these attributes:
  ///
  ///     <g class="box unit" data-node="mixer">, of a callback data-callback, of a tap data-tap
  ///     <circle class="bus" data-node="mixer" data-scope="input" data-element="0"/>
  ///     <g class="edge" data-from="eq/output/0" data-to="mixer/input/1" data-format="…">,
  ///         where it is late data-latency="12.72 ms late"
  public func svgForPage() -> String {
    SVGPage(FramedLayout(splittingIOUnits().withCommonFormatNote()), isInPage: true).document()
  }
}

/// Writes a layout as an SVG document.
private struct SVGPage {
  private let layout: FramedLayout
  private static let margin = 24.0
  /// Whether the document has attributes for a page instead of a style of its own.
  private let isInPage: Bool

  init(_ layout: FramedLayout, isInPage: Bool = false) {
    self.layout = layout
    self.isInPage = isInPage
  }

  func document() -> String {
    let drawing = layout.drawing
    let content = max(layout.width, 320)
    let title = wrapped(drawing.title, width: content)
    let format = drawing.commonFormat.map { wrapped($0.text, width: content * 1.2) } ?? []
    let head = Double(title.count) * 20 + Double(format.count) * 17
    let top = Self.margin + (head == 0 ? 0 : head + 14)
    let width = content + 2 * Self.margin
    let isHeated = drawing.nodes.contains { $0.share != nil }
    let bottom = top + layout.height + Self.margin
    let height = bottom + (isHeated ? Self.legendHeight : 0)
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(number(width)) \(number(height))\" "
        + "width=\"\(number(width))\" height=\"\(number(height))\" role=\"img\" "
        + "aria-labelledby=\"patch-title patch-description\">",
      "<title id=\"patch-title\">\(markup(drawing.title.isEmpty ? "Audio graph" : drawing.title))"
        + "</title>",
      "<desc id=\"patch-description\">\(markup(description))</desc>",
    ]
    if !isInPage {
      lines.append(isHeated ? Self.style.replacing("</style>", with: Self.heatStyle) : Self.style)
    }
    lines.append(
      "<rect class=\"page\" width=\"\(number(width))\" height=\"\(number(height))\" rx=\"10\"/>"
    )
    for (index, line) in title.enumerated() {
      lines.append(
        text("title", Self.margin, Self.margin + 14 + Double(index) * 20, line))
    }
    for (index, line) in format.enumerated() {
      let y = Self.margin + 13 + Double(title.count) * 20 + Double(index) * 17
      lines.append(text("caption", Self.margin, y, line))
    }
    lines.append("<g transform=\"translate(\(number(Self.margin)) \(number(top)))\">")
    for frame in layout.frames { lines += drawn(frame) }
    // Wires of taps are drawn last, so that their dashes show.
    for wire in layout.wires where !drawing.edges[wire.edge].isTap { lines += drawn(wire) }
    for wire in layout.wires where drawing.edges[wire.edge].isTap { lines += drawn(wire) }
    for index in drawing.nodes.indices { lines += drawn(box: index) }
    lines.append("</g>")
    if isHeated { lines += legend(at: bottom - Self.margin + 14) }
    return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
  }

  // MARK: Parts

  private func drawn(_ frame: FramedLayout.Frame) -> [String] {
    let name = frame.name.split(separator: "/").last.map(String.init) ?? frame.name
    // The text of the knobs is cut to fit into the frame.
    let room = Int((frame.width - 24) / 7.2)
    let title = layout.drawing.knobText(of: frame.name).map { "\(name): \($0)" } ?? name
    return [
      "<rect class=\"frame\" x=\"\(number(frame.x))\" y=\"\(number(frame.y))\" "
        + "width=\"\(number(frame.width))\" height=\"\(number(frame.height))\" rx=\"10\"/>",
      text(
        "subgraph", frame.x + 12, frame.y + 18,
        DrawingText.short(title, max(min(room, 80), min(name.count, 40)))),
    ]
  }

  private func drawn(_ wire: DrawingLayout.Wire) -> [String] {
    let edge = layout.drawing.edges[wire.edge]
    guard let first = wire.stretches.first, let last = wire.stretches.last else { return [] }
    var path = "M\(number(first.x)) \(number(first.y))"
    for (index, stretch) in wire.stretches.enumerated() {
      let isEnd = index == wire.stretches.count - 1
      let endX = isEnd && !edge.isTap ? stretch.endX - 6 : stretch.endX
      path += curve(stretch, to: endX)
    }
    var lines = isInPage ? [opening(of: edge)] : []
    lines.append("<path class=\"\(edge.isTap ? "wire tap" : "wire")\" d=\"\(path)\"/>")
    if !edge.isTap {
      let (x, y) = (number(last.endX), last.endY)
      let back = number(last.endX - 8)
      lines.append(
        "<path class=\"head\" d=\"M\(x) \(number(y))L\(back) \(number(y - 4))"
          + "V\(number(y + 4))Z\"/>")
    }
    if wire.isLabelled {
      let origin = DrawingText.short(edge.label.origin, DrawingLayout.originLength)
      lines.append(text("format", first.x + 8, first.y - 6, edge.label.format))
      lines.append(text("origin", first.x + 8, first.y + 15, origin))
    }
    return isInPage ? lines + ["</g>"] : lines.filter { !$0.isEmpty }
  }

  /// The part of a wire's path that a stretch adds.
  private func curve(_ stretch: DrawingLayout.Stretch, to endX: Double) -> String {
    guard let turn = stretch.turn else {
      var path = "H\(number(stretch.bend))"
      if stretch.y == stretch.endY { return path + "H\(number(endX))" }
      let middle = (stretch.bend + endX) / 2
      path += "C\(number(middle)) \(number(stretch.y)) \(number(middle)) "
      return path + "\(number(stretch.endY)) \(number(endX)) \(number(stretch.endY))"
    }
    // Round corners: down at the right, to the left, down at the left.
    let radius = 6.0
    var (x, y, path) = (stretch.x, stretch.y, "")
    let corners = [
      (stretch.bend, stretch.y), (stretch.bend, turn.lane), (turn.x, turn.lane),
      (turn.x, stretch.endY), (endX, stretch.endY),
    ]
    for (corner, next) in zip(corners, corners.dropFirst()) {
      func toward(_ from: Double, _ to: Double) -> Double {
        from == to ? from : from + (to > from ? radius : -radius)
      }
      path += "L\(number(toward(corner.0, x))) \(number(toward(corner.1, y)))"
      path += "Q\(number(corner.0)) \(number(corner.1)) "
      path += "\(number(toward(corner.0, next.0))) \(number(toward(corner.1, next.1)))"
      (x, y) = corner
    }
    return path + "H\(number(endX))"
  }

  private static let legendHeight = 72.0

  /// The legend of the fills: a swatch for each step, with its words beside it.
  private func legend(at top: Double) -> [String] {
    var lines = [
      "<g class=\"legend\" transform=\"translate(\(number(Self.margin)) \(number(top)))\">",
      text("port", 0, 12, "Share of the rendering"),
    ]
    // In two rows, so that it is no wider than the narrowest picture.
    for (index, step) in GraphDrawing.heatScale.enumerated() {
      let (x, y) = (Double(index % 3) * 108, Double(index / 3) * 20 + 20)
      lines.append(
        "<g class=\"heat heat\(index)\"><rect x=\"\(number(x))\" y=\"\(number(y))\" width=\"16\" "
          + "height=\"14\" rx=\"3\"/></g>")
      lines.append(text("fact", x + 21, y + 11, step.text))
    }
    return lines + ["</g>"]
  }

  private func drawn(box index: Int) -> [String] {
    let node = layout.drawing.nodes[index]
    let box = layout.boxes[index]
    let corner = layout.corners[index]
    let share = node.shareText.map { ", \($0)" } ?? ""
    var lines = [
      "<g class=\"box \(kind(of: node))\(node.heatStep.map { " heat heat\($0)" } ?? "")\"\(isInPage ? marks(of: node) : "") "
        + "transform=\"translate(\(number(corner.x)) \(number(corner.y)))\">",
      "<title>\(markup("\(node.name): \(node.caption)\(share)"))</title>",
      "<rect width=\"\(number(box.width))\" height=\"\(number(box.height))\" rx=\"7\"/>",
    ]
    if let divider = box.divider {
      lines.append("<path class=\"divider\" d=\"M0 \(number(divider))H\(number(box.width))\"/>")
    }
    for line in box.lines {
      let isMark = line.style == .conversion
      if isMark {
        lines.append(
          "<rect class=\"mark\" x=\"\(number(DrawingBox.padding - 4))\" "
            + "y=\"\(number(line.y - 11.5))\" width=\"\(number(line.width))\" "
            + "height=\"16\" rx=\"8\"/>")
      }
      let x = DrawingBox.padding + (isMark ? 3 : 0)
      lines.append(text(line.style.rawValue, x, line.y, line.text))
    }
    return lines + (isInPage ? buses(of: node, box) : []) + ["</g>"]
  }

  // MARK: Marks

  private func opening(of edge: GraphDrawing.Edge) -> String {
    let source = layout.drawing.nodes[edge.source].name
    let destination = layout.drawing.nodes[edge.destination].name
    return "<g class=\"\(edge.isTap ? "edge tap" : "edge")\""
      + attribute("data-from", "\(source)/output/\(edge.output)")
      + attribute("data-to", "\(destination)/input/\(edge.input)")
      + attribute("data-format", edge.formatText ?? "")
      + (edge.latencyText.map { attribute("data-latency", $0) } ?? "") + ">"
  }

  private func marks(of node: GraphDrawing.Node) -> String {
    switch node.kind {
    case .unit:
      attribute("data-node", node.name)
        + (node.side.map { attribute("data-side", $0.rawValue) } ?? "")
    case .callback: attribute("data-callback", node.name)
    case .tap: attribute("data-tap", node.name)
    }
  }

  /// A dot at each bus of a unit at which an edge may begin or end.
  private func buses(of node: GraphDrawing.Node, _ box: DrawingBox) -> [String] {
    guard node.kind == .unit else { return [] }
    func bus(_ scope: Scope, _ element: Int, _ x: Double, _ y: Double) -> String {
      "<circle class=\"bus\"" + attribute("data-node", node.name)
        + attribute("data-scope", scope.description) + attribute("data-element", "\(element)")
        + " cx=\"\(number(x))\" cy=\"\(number(y))\" r=\"4\"/>"
    }
    return box.inputs.map { bus(.input, $0.number, 0, $0.y) }
      + node.outputs.map { bus(.output, $0.number, box.width, box.outputs[0]) }
  }

  private func attribute(_ name: String, _ value: String) -> String {
    " \(name)=\"\(markup(value))\""
  }

  private func kind(of node: GraphDrawing.Node) -> String {
    switch (node.kind, node.side) {
    case (.unit, nil):
      node.component?.type == .outputType && node.subgraph == nil ? "device" : "unit"
    case (.unit, _): "device"
    case (.callback, _): node.inputs.isEmpty ? "source" : "processor"
    case (.tap, _): "watcher"
    }
  }

  /// The edges in words, for screen readers.
  private var description: String {
    let drawing = layout.drawing
    let sentences = drawing.edges.map { edge in
      let source = drawing.nodes[edge.source]
      let destination = drawing.nodes[edge.destination]
      let format = edge.isCommon ? "" : edge.format.map { " (\($0.summary))" } ?? ""
      let input = destination.kind == .unit ? " input \(edge.input)" : ""
      return
        "\(source.name), \(source.caption), \(edge.isTap ? "is watched by" : "feeds") "
        + "\(destination.name)\(input)\(format)."
    }
    let head = drawing.commonFormat.map { ["\($0.text)."] } ?? []
    return sentences.isEmpty
      ? drawing.nodes.map { "\($0.name), \($0.caption)." }.joined(separator: " ")
      : (head + sentences).joined(separator: " ")
  }

  private func wrapped(_ title: String, width: Double) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in DrawingText.line(title).split(separator: " ") {
      let word = DrawingText.short(String(word), 40)
      let longer = line.isEmpty ? word : "\(line) \(word)"
      if TextWidth.of(longer, size: 15, isBold: true) > width, !line.isEmpty {
        lines.append(line)
        line = word
      } else {
        line = longer
      }
    }
    lines += line.isEmpty ? [] : [line]
    return lines.count > 4 ? Array(lines.prefix(3)) + [lines[3] + " …"] : lines
  }

  // MARK: Writing

  private func text(_ style: String, _ x: Double, _ y: Double, _ text: String) -> String {
    guard !text.isEmpty else { return "" }
    return "<text class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\">\(markup(text))</text>"
  }

  private func markup(_ text: String) -> String { DrawingText.markup(text) }

  /// A number rounded to a tenth, without a fraction of zero.
  private func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    let sign = tenths < 0 ? "-" : ""
    let (whole, rest) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
    return rest == 0 ? "\(sign)\(whole)" : "\(sign)\(whole).\(rest)"
  }

  /// The colours of the steps: one hue from light to dark, reversed in dark mode. Text is legible
  /// on each.
  private static let heatStyle = """
    .heat text{fill:#1f2328}
    .heat0 rect{fill:#fff8f2}
    .heat1 rect{fill:#ffe2c6}
    .heat2 rect{fill:#ffc48a}
    .heat3 rect{fill:#fba04f}
    .heat4 rect{fill:#ee7d1e}
    .legend .heat rect{stroke:#818b98}
    @media (prefers-color-scheme:dark){
    .heat text{fill:#fff}
    .heat0 rect{fill:#1f1610}
    .heat1 rect{fill:#3a2412}
    .heat2 rect{fill:#5c3512}
    .heat3 rect{fill:#824710}
    .heat4 rect{fill:#a85a0a}
    }
    </style>
    """

  private static let style = """
    <style>
    text{font-family:-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;font-size:11px;fill:#1f2328}
    .title{font-size:15px;font-weight:600}
    .name{font-size:14px;font-weight:600}
    .caption,.format{font-size:12px}
    .caption,.fact,.origin,.setting{fill:#59636e}
    .port{font-weight:600}
    .page{fill:#fff}
    .frame{fill:#818b98;fill-opacity:.07;stroke:#818b98;stroke-dasharray:6 4}
    .subgraph{font-size:12px;font-weight:600;fill:#59636e}
    .wire{fill:none;stroke:#656d76;stroke-width:1.5}
    .wire.tap{stroke-dasharray:4 4;stroke:#9a6700}
    .head{fill:#656d76}
    .box rect{fill:#f6f8fa;stroke:#818b98;stroke-width:1.2}
    .source rect{fill:#ddf4ff;stroke:#0969da}
    .processor rect{fill:#fbefff;stroke:#8250df}
    .device rect{fill:#dafbe1;stroke:#1a7f37}
    .watcher rect{fill:#fff8c5;stroke:#9a6700;stroke-dasharray:4 4}
    .divider{stroke:#d1d9e0}
    .box rect.mark{fill:#fff1e5;stroke:#bc4c00;stroke-width:.8}
    .conversion{fill:#953800;font-weight:600}
    @media (prefers-color-scheme:dark){
    text{fill:#f0f6fc}
    .caption,.fact,.origin,.setting{fill:#a5adb6}
    .page{fill:#0d1117}
    .frame{fill:#9198a1;stroke:#656c76}
    .subgraph{fill:#a5adb6}
    .wire{stroke:#9198a1}
    .wire.tap{stroke:#d29922}
    .head{fill:#9198a1}
    .box rect{fill:#161b22;stroke:#656c76}
    .source rect{fill:#0c2d4d;stroke:#4493f8}
    .processor rect{fill:#2e1a4d;stroke:#ab7df8}
    .device rect{fill:#0f2f1a;stroke:#3fb950}
    .watcher rect{fill:#2e2409;stroke:#d29922}
    .divider{stroke:#3d444d}
    .box rect.mark{fill:#3d1a05;stroke:#f0883e}
    .conversion{fill:#ffb77c}
    }
    </style>
    """
}
