/// A colour of the terminal's own sixteen: what they look like is the user's choice, so that they
/// go with a light background as with a dark one.
public enum TerminalColor: UInt8, CaseIterable, Hashable, Sendable {
  case black, red, green, yellow, blue, magenta, cyan, white
  case brightBlack, brightRed, brightGreen, brightYellow, brightBlue, brightMagenta, brightCyan
  case brightWhite

  /// The number that selects it (ECMA-48, SGR) as a foreground; as a background it is 10 more.
  var code: UInt8 { rawValue < 8 ? 30 + rawValue : 82 + rawValue }
}

/// How a cell looks.
public struct CellStyle: Hashable, Sendable {
  /// `nil` for the terminal's default.
  public var foreground: TerminalColor?
  public var background: TerminalColor?
  public var isBold: Bool
  public var isDim: Bool
  /// Foreground and background change places.
  public var isReversed: Bool

  public init(
    _ foreground: TerminalColor? = nil, on background: TerminalColor? = nil, bold: Bool = false,
    dim: Bool = false, reversed: Bool = false
  ) {
    self.foreground = foreground
    self.background = background
    isBold = bold
    isDim = dim
    isReversed = reversed
  }

  /// The terminal's default.
  public static let plain = CellStyle()

  /// The sequence that selects this look and nothing else, whatever was selected before. Without
  /// colours what is bold, dim or reversed still is.
  func sequence(hasColors: Bool) -> String {
    var codes = "0"
    if isBold { codes += ";1" }
    if isDim { codes += ";2" }
    if isReversed { codes += ";7" }
    if hasColors, let foreground { codes += ";\(foreground.code)" }
    if hasColors, let background { codes += ";\(background.code + 10)" }
    return "\u{1B}[\(codes)m"
  }
}
