import Glibc

/// Colours for a quantity, from the least to the greatest value, in steps that look equal.
///
/// They are computed: in OKLab (B. Ottosson, "A perceptual color space for image processing", 2020)
/// the lightness grows in a straight line from black to a pale yellow, while the hue turns smoothly
/// from blue through magenta and orange to yellow, as saturated as sRGB can show it. The lightness
/// alone tells the order, so that the map can be read in grey, and by people who see fewer colours.
public enum ColorMap {
  /// The number of colours.
  public static let count = 256

  /// The colours, that of the least value first.
  public static let colors: [Color] = (0..<count).map { color(Double($0) / Double(count - 1)) }

  /// The colours as `0xRRGGBB`.
  static let pixels: [UInt32] = colors.map {
    UInt32($0.red) << 16 | UInt32($0.green) << 8 | UInt32($0.blue)
  }

  /// The colour of a share from 0 to 1, as `0xRRGGBB`; a share outside has the colour of the nearer
  /// end.
  public static func pixel(_ share: Double) -> UInt32 {
    guard share > 0 else { return pixels[0] }
    return pixels[min(count - 1, Int(share * Double(count - 1) + 0.5))]
  }

  /// OKLab's lightness of a colour, from 0 to 1.
  public static func lightness(_ color: Color) -> Double {
    let (red, green, blue) = (linear(color.red), linear(color.green), linear(color.blue))
    let long = cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    let medium = cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    let short = cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    return 0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short
  }

  private static let lightest = 0.96

  private static func color(_ share: Double) -> Color {
    let lightness = share * lightest
    // From blue (-80 degrees) through magenta and red to yellow.
    let hue = (-80 + 185 * share) * Double.pi / 180
    // No chroma at the ends, where the lightness leaves no room for it, and most in the middle.
    let wanted = 0.19 * sin(Double.pi * min(1, pow(share, 0.75) * 0.86 + 0.02))
    var (low, high) = (0.0, wanted)
    if !isShown(lightness, wanted, hue) {
      for _ in 0..<30 {
        let middle = (low + high) / 2
        if isShown(lightness, middle, hue) { low = middle } else { high = middle }
      }
      high = low
    }
    let (red, green, blue) = light(lightness, high, hue)
    return Color(red: byte(red), green: byte(green), blue: byte(blue))
  }

  private static func isShown(_ lightness: Double, _ chroma: Double, _ hue: Double) -> Bool {
    let (red, green, blue) = light(lightness, chroma, hue)
    return [red, green, blue].allSatisfy { (-1e-9...1 + 1e-9).contains($0) }
  }

  /// Linear light of a colour in OKLab.
  private static func light(
    _ lightness: Double, _ chroma: Double, _ hue: Double
  ) -> (red: Double, green: Double, blue: Double) {
    let (a, b) = (chroma * cos(hue), chroma * sin(hue))
    let long = cube(lightness + 0.3963377774 * a + 0.2158037573 * b)
    let medium = cube(lightness - 0.1055613458 * a - 0.0638541728 * b)
    let short = cube(lightness - 0.0894841775 * a - 1.2914855480 * b)
    return (
      4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
      -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
      -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short
    )
  }

  private static func cube(_ value: Double) -> Double { value * value * value }

  /// sRGB's curve (IEC 61966-2-1).
  private static func byte(_ light: Double) -> UInt8 {
    let light = min(1, max(0, light))
    let value = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
    return UInt8((value * 255).rounded())
  }

  private static func linear(_ byte: UInt8) -> Double {
    let value = Double(byte) / 255
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }
}
