/// The greatest width of a text in the sans-serif fonts that a viewer may have. Text cannot be
/// measured while a drawing is made, so the widest of these fonts counts.
enum TextWidth {
  static func of(_ text: String, size: Double, isBold: Bool = false) -> Double {
    var ems = 0.0
    for character in text {
      guard let scalar = character.unicodeScalars.first else { continue }
      ems += ems1(scalar)
    }
    return ems * size * (isBold ? 1.12 : 1)
  }

  private static func ems1(_ scalar: Unicode.Scalar) -> Double {
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
