import Testing

@testable import Pictures

struct ColorMapTests {
  @Test func `equal steps are equally lighter`() {
    let levels = ColorMap.colors.map { ColorMap.lightness($0) }
    #expect(levels[0] < 0.01 && levels[255] > 0.94)
    // Eight bits per component are coarse for dark colours.
    for (step, level) in levels.enumerated() {
      #expect((level - Double(step) / 255 * 0.96).magnitude < (step < 40 ? 0.05 : 0.006), "\(step)")
    }
    for step in stride(from: 8, to: 256, by: 8) { #expect(levels[step] > levels[step - 8]) }
  }

  @Test func `what lies outside is as its end`() {
    #expect(ColorMap.pixel(-1) == ColorMap.pixels[0])
    #expect(ColorMap.pixel(.nan) == ColorMap.pixels[0])
    #expect(ColorMap.pixel(2) == ColorMap.pixels[255])
    #expect(ColorMap.pixel(0.5) == ColorMap.pixels[128])
  }

  /// WCAG 2.2 requires 4.5 to 1 for text and 3 to 1 for graphics.
  @Test(arguments: [false, true])
  func `texts and lines can be read`(isDark: Bool) {
    func contrast(_ first: Ink, _ second: Ink) -> Double {
      let levels = [first, second].map { luminance($0.color(isDark: isDark)) }.sorted()
      return (levels[1] + 0.05) / (levels[0] + 0.05)
    }
    for ink in [Ink.text, .muted, .warning] {
      #expect(contrast(ink, .page) > 4.5 && contrast(ink, .plot) > 4.5, "\(ink)")
    }
    for index in 0..<Ink.seriesCount { #expect(contrast(.series(index), .plot) > 3, "\(index)") }
  }

  private func luminance(_ color: Color) -> Double {
    func light(_ byte: UInt8) -> Double {
      let value = Double(byte) / 255
      return value <= 0.04045 ? value / 12.92 : powered((value + 0.055) / 1.055)
    }
    return 0.2126 * light(color.red) + 0.7152 * light(color.green) + 0.0722 * light(color.blue)
  }

  /// The power of 2.4.
  private func powered(_ value: Double) -> Double {
    // The twelfth power of the fifth root by Newton's method, without a library.
    var root = value
    for _ in 0..<60 {
      root -= (root * root * root * root * root - value) / (5 * root * root * root * root)
    }
    return value * value * root * root
  }
}
