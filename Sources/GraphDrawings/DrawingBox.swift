/// A box with its lines of text, and its size.
struct DrawingBox: Sendable {
  /// A line of text.
  struct Line: Sendable {
    enum Style: String, Sendable { case name, caption, setting, fact, conversion, port }

    var style: Style
    var text: String
    /// The baseline, from the top of the box.
    var y = 0.0

    var height: Double {
      switch style {
      case .name: 18
      case .conversion: 19
      default: 15
      }
    }
    var width: Double {
      switch style {
      case .name: TextWidth.of(text, size: 14, isBold: true)
      case .caption: TextWidth.of(text, size: 12)
      case .port: TextWidth.of(text, size: 11, isBold: true)
      case .setting, .fact: TextWidth.of(text, size: 11)
      case .conversion: TextWidth.of(text, size: 11, isBold: true) + 14
      }
    }
  }

  /// The place of a bus at the edge of the box; `y` is where edges meet it, from the top.
  struct Port: Sendable {
    var number: Int
    var y: Double
  }

  static let padding = 12.0
  var lines: [Line] = []
  var inputs: [Port] = []
  /// The y of each output: one, or one for each edge of a callback that feeds several inputs.
  var outputs: [Double] = []
  var width = 0.0
  var height = 0.0
  /// The y of the line above the inputs; `nil` where there is only one.
  var divider: Double?

  /// An empty box.
  init() {}

  /// - Parameters:
  ///   - node: A node of a drawing whose I/O units are in halves.
  ///   - outputCount: The number of places at which edges leave the box.
  ///   - pitches: The minimum distance from each input to the next.
  init(_ node: GraphDrawing.Node, outputCount: Int, pitches: [Double]) {
    let fed = node.fedInputs
    let hasRows = fed.count > 1
    var head = [Line(style: .name, text: DrawingText.short(node.name, 28))]
    head.append(Line(style: .caption, text: DrawingText.short(node.caption, 40)))
    if let share = node.shareText { head.append(Line(style: .port, text: share)) }
    var settings = node.settingTexts
    if !hasRows, let only = fed.first {
      settings = (only.name.map { ["“\($0)”"] } ?? []) + settings + only.settings.shownTexts
    }
    head += Self.lines(.setting, DrawingText.short(settings, 6))
    head += Self.lines(.fact, node.facts)
    if !hasRows { head += Self.lines(.conversion, fed.flatMap(\.conversions).map(\.text)) }
    head += Self.lines(.conversion, node.outputConversions)

    var y = Self.padding - 2
    place(head, &y)
    if hasRows {
      y += 8
      divider = y
      y += 6
      placeRows(fed, pitches, &y)
    }
    height = max(y + Self.padding - 3, Double(outputCount) * 40).rounded(.up)
    if !hasRows, let only = fed.first { inputs = [Port(number: only.number, y: height / 2)] }
    let middle =
      hasRows && !inputs.isEmpty ? (inputs[0].y + inputs[inputs.count - 1].y) / 2 : height / 2
    let first = middle - Double(outputCount - 1) * 20
    outputs = (0..<max(1, outputCount)).map { first + Double($0) * 40 }
    width = (lines.map(\.width).max() ?? 0) + 2 * Self.padding
    width = max(110, width.rounded(.up))
  }

  private static func lines(_ style: Line.Style, _ texts: [String]) -> [Line] {
    texts.map { Line(style: style, text: DrawingText.short($0, 38)) }
  }

  private mutating func place(_ some: [Line], _ y: inout Double) {
    for var line in some {
      line.y = y + line.height - 4
      y += line.height
      lines.append(line)
    }
  }

  private mutating func placeRows(
    _ fed: [GraphDrawing.Element], _ pitches: [Double], _ y: inout Double
  ) {
    for (index, element) in fed.enumerated() {
      let top = y
      inputs.append(Port(number: element.number, y: y + 8))
      place(Self.lines(.port, [element.label]), &y)
      place(Self.lines(.setting, DrawingText.short(element.settings.shownTexts, 4)), &y)
      place(Self.lines(.conversion, element.conversions.map(\.text)), &y)
      y += 5
      if pitches.indices.contains(index) { y = max(y, top + pitches[index]) }
    }
  }
}
