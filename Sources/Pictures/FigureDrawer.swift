/// Turns a figure into shapes.
struct FigureDrawer {
  let figure: Figure
  let layout: FigureLayout
  private(set) var shapes: [Shape] = []

  init(figure: Figure, layout: FigureLayout) {
    self.figure = figure
    self.layout = layout
  }

  mutating func draw() {
    drawHead()
    for (index, panel) in figure.panels.enumerated() { draw(panel, in: layout.plots[index]) }
    drawTimes()
    if let colors = figure.colors { drawBar(colors) }
  }

  private mutating func drawHead() {
    let x = FigureLayout.margin
    var y = FigureLayout.margin + 12
    let room = figure.width - 2 * x
    label(TextRoom.short(figure.title, size: 15 * 1.08, room: room), x, y, size: 15, isBold: true)
    for line in figure.caption {
      y += 17
      label(TextRoom.short(line, size: 11.5, room: room), x, y, size: 11.5, ink: .muted)
    }
    guard !figure.legend.isEmpty else { return }
    y += 19
    var left = x
    for entry in figure.legend {
      switch entry.sample {
      case .line(let ink, let isDashed):
        shapes.append(
          .line(
            [Point(left, y - 4), Point(left + 20, y - 4)], ink, width: 2, isDashed: isDashed))
      case .patch(let ink, let opacity):
        shapes.append(
          .box(Box(x: left + 4, y: y - 10, width: 12, height: 12), ink, opacity: opacity))
      }
      label(entry.text, left + 25, y, ink: .text)
      left += 25 + TextRoom.width(entry.text, size: 11) + 18
    }
  }

  // MARK: Panels

  private mutating func draw(_ panel: Panel, in box: Box) {
    label(panel.name, box.x, box.y - 6, size: 11.5, isBold: true)
    let nameWidth = panel.name.isEmpty ? 0 : TextRoom.width(panel.name, size: 11.5) * 1.12 + 8
    label(panel.axis.name, box.x + nameWidth, box.y - 6, ink: .muted)
    shapes.append(.box(box, .plot))
    var inside: [Shape] = []
    var raster: Raster?
    for mark in panel.marks {
      if case .raster(let pixels) = mark { raster = pixels }
    }
    if let raster { inside.append(.raster(raster, box)) } else { inside += grid(panel, box) }
    var texts: [Shape] = []
    for mark in panel.marks { inside += drawn(mark, panel, box, &texts) }
    shapes.append(.clipped(box, inside))
    shapes += texts
    shapes.append(frame(box))
    var last = Double.infinity
    for tick in panel.axis.ticks where !tick.text.isEmpty {
      let y = self.y(tick.value, panel.axis, box)
      shapes.append(.strokes([Point(box.x - 4, y), Point(box.x, y)], .axis))
      guard (last - y).magnitude >= 12 else { continue }
      last = y
      label(tick.text, box.x - 7, y + 4, ink: .muted, anchor: .end)
    }
  }

  private func frame(_ box: Box) -> Shape {
    .line(
      [
        Point(box.x, box.y), Point(box.right, box.y), Point(box.right, box.bottom),
        Point(box.x, box.bottom), Point(box.x, box.y),
      ], .axis)
  }

  private func grid(_ panel: Panel, _ box: Box) -> [Shape] {
    var points: [Point] = []
    for tick in panel.axis.ticks {
      let y = crisp(self.y(tick.value, panel.axis, box))
      points += [Point(box.x, y), Point(box.right, y)]
    }
    for tick in figure.axis.ticks {
      let x = crisp(self.x(tick.value, box))
      points += [Point(x, box.y), Point(x, box.bottom)]
    }
    return [.strokes(points, .grid)]
  }

  private func drawn(
    _ mark: Mark, _ panel: Panel, _ box: Box, _ texts: inout [Shape]
  ) -> [Shape] {
    switch mark {
    case .line(let points, let ink, let width, let isDashed):
      return runs(points) { $0.x.isFinite && $0.y.isFinite }.map { run in
        .line(
          run.map { Point(x($0.x, box), y($0.y, panel.axis, box)) }, ink, width: width,
          isDashed: isDashed)
      }
    case .band(let bands, let ink, let opacity):
      return runs(bands) { $0.low.isFinite && $0.high.isFinite }.flatMap { run -> [Shape] in
        let upper = run.map { Point(x($0.x, box), y($0.high, panel.axis, box)) }
        let lower = run.map { Point(x($0.x, box), y($0.low, panel.axis, box)) }
        return [.area(upper + lower.reversed(), ink, opacity: opacity)]
      }
    case .raster: return []
    case .rule(let value, let ink, let text):
      let y = crisp(self.y(value, panel.axis, box))
      guard (box.y...box.bottom).contains(y) else { return [] }
      if !text.isEmpty {
        let isHigh = y - box.y < 18
        texts.append(
          .label(
            Label(
              text, Point(box.right - 6, isHigh ? y + 13 : y - 5), size: 11, ink: ink, anchor: .end,
              isBold: true)))
      }
      return [.line([Point(box.x, y), Point(box.right, y)], ink, width: 1, isDashed: true)]
    case .flags(let values, let ink, let isMirrored):
      var points: [Point] = []
      for value in values {
        let x = self.x(value, box)
        points += [Point(x, box.y), Point(x, box.y + 7)]
        if isMirrored { points += [Point(x, box.bottom), Point(x, box.bottom - 7)] }
      }
      return [.strokes(points, ink, width: 1.5)]
    }
  }

  /// The stretches between gaps.
  private func runs<Element>(
    _ elements: [Element], _ isThere: (Element) -> Bool
  ) -> [[Element]] {
    elements.split { !isThere($0) }.map(Array.init)
  }

  private func x(_ value: Double, _ box: Box) -> Double {
    box.x + figure.axis.share(value) * box.width
  }

  /// The y of a value. It is limited, so that a value far outside gives no huge number.
  private func y(_ value: Double, _ axis: Axis, _ box: Box) -> Double {
    box.bottom - min(10, max(-10, axis.share(value))) * box.height
  }

  /// The middle of a row of pixels.
  private func crisp(_ value: Double) -> Double { value.rounded(.down) + 0.5 }

  // MARK: Axes

  private mutating func drawTimes() {
    guard let box = layout.plots.last else { return }
    var end = -Double.infinity
    for tick in figure.axis.ticks {
      let x = self.x(tick.value, box)
      guard x >= box.x - 0.5, x <= box.right + 0.5 else { continue }
      let isNamed = !tick.text.isEmpty
      shapes.append(
        .strokes([Point(x, box.bottom), Point(x, box.bottom + (isNamed ? 5 : 3))], .axis))
      let half = TextRoom.width(tick.text, size: 11) / 2
      let middle = min(x, figure.width - 6 - half)
      guard isNamed, middle - half > end + 6 else { continue }
      end = middle + half
      label(tick.text, middle, box.bottom + 17, ink: .muted, anchor: .middle)
    }
    label(
      figure.axis.name, box.x + box.width / 2, box.bottom + 34, ink: .muted, anchor: .middle)
  }

  private mutating func drawBar(_ colors: Axis) {
    guard let first = layout.plots.first, let last = layout.plots.last else { return }
    let box = Box(
      x: first.right + 18, y: first.y, width: 12, height: last.bottom - first.y)
    let pixels = ColorMap.pixels.reversed()
    shapes.append(.raster(Raster(width: 1, height: pixels.count, pixels: Array(pixels)), box))
    shapes.append(frame(box))
    label(colors.name, box.right + 24, box.y - 6, ink: .muted, anchor: .end)
    for tick in colors.ticks where !tick.text.isEmpty {
      let y = self.y(tick.value, colors, box)
      shapes.append(.strokes([Point(box.right, y), Point(box.right + 4, y)], .axis))
      label(tick.text, box.right + 7, y + 4, ink: .muted)
    }
  }

  private mutating func label(
    _ text: String, _ x: Double, _ y: Double, size: Double = 11, ink: Ink = .text,
    anchor: Label.Anchor = .start, isBold: Bool = false
  ) {
    guard !text.isEmpty else { return }
    shapes.append(
      .label(Label(text, Point(x, y), size: size, ink: ink, anchor: anchor, isBold: isBold)))
  }
}

/// The greatest width of a text in the sans-serif fonts that a viewer may have.
enum TextRoom {
  /// As much of a text as fits, with an ellipsis where it is cut.
  static func short(_ text: String, size: Double, room: Double) -> String {
    guard width(text, size: size) > room else { return text }
    var result = ""
    var sum = width("\u{2026}", size: size)
    for character in text {
      sum += width(String(character), size: size)
      if sum > room { break }
      result.append(character)
    }
    return result + "\u{2026}"
  }

  static func width(_ text: String, size: Double) -> Double {
    text.reduce(0) { sum, character in
      let ems =
        switch character {
        case "i", "j", "l", "I", " ", ".", ",", ":", ";", "'", "|", "!": 0.33
        case "f", "t", "r", "(", ")", "[", "]", "/", "-": 0.42
        case "m", "M", "W", "w", "@", "%": 0.95
        case "A"..."Z": 0.74
        case _ where character.unicodeScalars.contains { $0.value >= 0x1100 }: 1.1
        default: 0.6
        }
      return sum + ems * size
    }
  }
}
