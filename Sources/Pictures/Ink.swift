/// An sRGB colour, with 8 bits for each component.
public struct Color: Hashable, Sendable {
  /// 0 to 255.
  public var red: UInt8
  /// 0 to 255.
  public var green: UInt8
  /// 0 to 255.
  public var blue: UInt8

  public init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// - Parameter hex: `0xRRGGBB`.
  init(_ hex: UInt32) {
    self.init(
      red: UInt8(truncatingIfNeeded: hex >> 16), green: UInt8(truncatingIfNeeded: hex >> 8),
      blue: UInt8(truncatingIfNeeded: hex))
  }

  /// `#rrggbb`
  var hex: String {
    "#"
      + [red, green, blue].map { byte in
        let digits = String(byte, radix: 16)
        return digits.count < 2 ? "0" + digits : digits
      }.joined()
  }
}

/// The role of a part of a picture; a theme gives it a colour.
public enum Ink: Hashable, Sendable {
  case page
  /// The background of curves.
  case plot
  case text
  case muted
  case grid
  case axis
  /// What needs attention, such as clipping.
  case warning
  /// One of several things of a kind: blue, orange, green, purple, amber, pink, and again from
  /// blue.
  case series(Int)

  static let seriesCount = 6
  static let all: [Ink] =
    [.page, .plot, .text, .muted, .grid, .axis, .warning]
    + (0..<seriesCount).map { .series($0) }

  /// The name of a class in a style sheet.
  var name: String {
    switch self {
    case .page: "page"
    case .plot: "plot"
    case .text: "text"
    case .muted: "muted"
    case .grid: "grid"
    case .axis: "axis"
    case .warning: "warning"
    case .series(let index): "series\(index % Self.seriesCount)"
    }
  }

  func color(isDark: Bool) -> Color {
    switch self {
    case .page: Color(isDark ? 0x0d1117 : 0xffffff)
    case .plot: Color(isDark ? 0x151b23 : 0xf6f8fa)
    case .text: Color(isDark ? 0xf0f6fc : 0x1f2328)
    case .muted: Color(isDark ? 0xa5adb6 : 0x59636e)
    case .grid: Color(isDark ? 0x2a313c : 0xe1e6eb)
    case .axis: Color(isDark ? 0x656c76 : 0x818b98)
    case .warning: Color(isDark ? 0xff6a61 : 0xcf222e)
    case .series(let index):
      Color(Self.pairs[index % Self.seriesCount][isDark ? 1 : 0])
    }
  }

  /// Each pair for a light page and for a dark one.
  private static let pairs: [[UInt32]] = [
    [0x0969da, 0x4493f8], [0xbc4c00, 0xf0883e], [0x1a7f37, 0x3fb950], [0x8250df, 0xab7df8],
    [0x9a6700, 0xd29922], [0xbf3989, 0xdb61a2],
  ]
}

/// Whether a picture is light or dark.
public enum Theme: String, CaseIterable, Sendable {
  /// In SVG, the viewer's preference; in PNG, light.
  case auto
  case light
  case dark
}
