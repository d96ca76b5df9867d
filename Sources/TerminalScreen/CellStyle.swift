/// One of the terminal's own sixteen colours. The user decides what they look like, so they suit a
/// light background and a dark one.
public enum TerminalColor: UInt8, CaseIterable, Hashable, Sendable {
  case black, red, green, yellow, blue, magenta, cyan, white
  case brightBlack, brightRed, brightGreen, brightYellow, brightBlue, brightMagenta, brightCyan
  case brightWhite

  /// The number that selects it (ECMA-48, SGR) as a foreground; as a background it is 10 more.
  var code: UInt8 { rawValue < 8 ? 30 + rawValue : 82 + rawValue }
}

/// The look of a cell.
public struct CellStyle: Hashable, Sendable {
  /// `nil` for the terminal's default.
  public var foreground: TerminalColor?
  public var background: TerminalColor?
  public var isBold: Bool
  public var isDim: Bool
  /// Whether foreground and background are exchanged.
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
  /// colours, bold, dim and reversed remain.
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
