extension Drawing {
  /// The drawing as an SVG document with real text, light or dark as the viewer prefers where the
  /// theme leaves that open.
  public func svg() -> String {
    var writer = SVGWriter()
    return writer.document(self)
  }
}

/// Writes a drawing as an SVG document.
private struct SVGWriter {
  private var lines: [String] = []
  private var clipCount = 0

  mutating func document(_ drawing: Drawing) -> String {
    let (width, height) = (number(drawing.width), number(drawing.height))
    lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" "
        + "width=\"\(width)\" height=\"\(height)\" role=\"img\" "
        + "aria-labelledby=\"picture-title picture-description\">",
      "<title id=\"picture-title\">\(markup(drawing.title))</title>",
      "<desc id=\"picture-description\">\(markup(drawing.summary))</desc>",
      "<style>\n" + Self.style(drawing.theme) + "\n</style>",
      "<rect class=\"f-page\" width=\"\(width)\" height=\"\(height)\"/>",
    ]
    for shape in drawing.shapes { write(shape) }
    lines.append("</svg>")
    return lines.joined(separator: "\n") + "\n"
  }

  private mutating func write(_ shape: Shape) {
    switch shape {
    case .box(let box, let ink, let opacity):
      lines.append("<rect class=\"f-\(ink.name)\"\(place(box))\(faint(opacity))/>")
    case .line(let points, let ink, let width, let isDashed):
      guard points.count > 1 else { return }
      let dashes = isDashed ? " stroke-dasharray=\"5 4\"" : ""
      lines.append(
        "<path class=\"s-\(ink.name)\" stroke-width=\"\(number(width))\"\(dashes) "
          + "d=\"\(path(points))\"/>")
    case .area(let points, let ink, let opacity):
      guard points.count > 2 else { return }
      lines.append("<path class=\"f-\(ink.name)\"\(faint(opacity)) d=\"\(path(points))Z\"/>")
    case .strokes(let points, let ink, let width):
      guard points.count > 1 else { return }
      var text = ""
      for index in stride(from: 0, to: points.count - 1, by: 2) {
        text += stroke(points[index], points[index + 1])
      }
      lines.append(
        "<path class=\"s-\(ink.name)\" stroke-width=\"\(number(width))\" d=\"\(text)\"/>")
    case .raster(let raster, let box):
      lines.append(
        "<image\(place(box)) preserveAspectRatio=\"none\" "
          + "href=\"data:image/png;base64,\(Base64.text(raster.png()))\"/>")
    case .label(let label):
      guard !label.text.isEmpty else { return }
      let anchor = label.anchor == .start ? "" : " text-anchor=\"\(label.anchor.rawValue)\""
      let weight = label.isBold ? " font-weight=\"600\"" : ""
      let size = label.size == 11 ? "" : " font-size=\"\(number(label.size))\""
      lines.append(
        "<text class=\"f-\(label.ink.name)\" x=\"\(number(label.point.x))\" "
          + "y=\"\(number(label.point.y))\"\(anchor)\(weight)\(size)>\(markup(label.text))</text>")
    case .clipped(let box, let shapes):
      clipCount += 1
      let name = "clip\(clipCount)"
      lines.append("<clipPath id=\"\(name)\"><rect\(place(box))/></clipPath>")
      lines.append("<g clip-path=\"url(#\(name))\">")
      for shape in shapes { write(shape) }
      lines.append("</g>")
    }
  }

  private func place(_ box: Box) -> String {
    " x=\"\(number(box.x))\" y=\"\(number(box.y))\" width=\"\(number(box.width))\" "
      + "height=\"\(number(box.height))\""
  }

  private func faint(_ opacity: Double) -> String {
    opacity < 1 ? " fill-opacity=\"\(Decimal.plain(opacity, 2))\"" : ""
  }

  private func path(_ points: [Point]) -> String {
    var text = ""
    var isFirst = true
    for point in points {
      text += "\(isFirst ? "M" : "L")\(number(point.x)) \(number(point.y))"
      isFirst = false
    }
    return text
  }

  private func stroke(_ first: Point, _ second: Point) -> String {
    let start = "M\(number(first.x)) \(number(first.y))"
    if first.y == second.y { return "\(start)H\(number(second.x))" }
    if first.x == second.x { return "\(start)V\(number(second.y))" }
    return "\(start)L\(number(second.x)) \(number(second.y))"
  }

  /// A number rounded to a hundredth, without trailing zeros.
  private func number(_ value: Double) -> String {
    guard value.isFinite, value.magnitude < 1e7 else { return "0" }
    let hundredths = Int((value * 100).rounded())
    let sign = hundredths < 0 ? "-" : ""
    let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
    if rest == 0 { return "\(sign)\(whole)" }
    if rest % 10 == 0 { return "\(sign)\(whole).\(rest / 10)" }
    return "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }

  /// A text for between tags, without characters that XML does not allow.
  private func markup(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\n", "\t": result += " "
      case _ where scalar.value < 0x20 || (0xFFFE...0xFFFF).contains(scalar.value): continue
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func style(_ theme: Theme) -> String {
    let base =
      "svg{font:11px -apple-system,\"Segoe UI\",Helvetica,Arial,sans-serif}\n"
      + "path{fill:none;stroke-linejoin:round}\n"
    switch theme {
    case .light: return base + colors(isDark: false)
    case .dark: return base + colors(isDark: true)
    case .auto:
      return base + colors(isDark: false) + "\n@media (prefers-color-scheme:dark){\n"
        + colors(isDark: true) + "\n}"
    }
  }

  private static func colors(isDark: Bool) -> String {
    Ink.all.map { ink in
      let color = ink.color(isDark: isDark).hex
      return ".f-\(ink.name){fill:\(color)}.s-\(ink.name){stroke:\(color)}"
    }.joined(separator: "\n")
  }
}

/// Bytes as text in Base64 (RFC 4648).
package enum Base64 {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  package static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var group: UInt32 = 0
      for index in 0..<3 {
        group = group << 8 | (index < count ? UInt32(bytes[start + index]) : 0)
      }
      for index in 0..<4 {
        text.append(
          index <= count ? digits[Int(group >> (18 - 6 * UInt32(index)) & 63)] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
