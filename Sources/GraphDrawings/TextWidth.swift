/// An estimate of a text's width. The viewer's font is unknown while a drawing is made, so this is
/// the width in the widest of the usual sans-serif fonts.
enum TextWidth {
  static func of(_ text: String, size: Double, isBold: Bool = false) -> Double {
    var ems = 0.0
    for character in text {
      guard let scalar = character.unicodeScalars.first else { continue }
      ems += emWidth(scalar)
    }
    return ems * size * (isBold ? 1.12 : 1)
  }

  private static func emWidth(_ scalar: Unicode.Scalar) -> Double {
    switch scalar {
    case "i", "j", "l", "I", " ", ".", ",", ":", ";", "'", "|", "!": 0.33
    case "f", "t", "r", "(", ")", "[", "]", "/", "-": 0.42
    case "m", "M", "W", "@", "%", "…", "→": 1
    case "w", "Q", "G", "O", "+", "=", "<", ">", "~", "#", "_", "^": 0.84
    case "A"..."Z": 0.72
    case _ where scalar.value >= 0x1100: 1.15
    default: 0.64
    }
  }
}
