/// A number with a unit, as people write it: `500 ms`, `-12dB`, `44.1 kHz`. Diagnostics use it to
/// propose the number that a patch expects.
public struct Quantity: Hashable, Sendable {
  /// What a unit measures. As the measure of an expected number, `decibels` stands for a factor that
  /// may be given in decibels, and `level` for a number of decibels.
  public enum Measure: Hashable, Sendable {
    case decibels, level, seconds, milliseconds, hertz, percent, number
  }

  /// The number in the base unit of the measure: decibels, seconds, hertz or percent.
  public var value: Double
  public var measure: Measure

  /// - Returns: `nil` where the text is not a finite number, or has an unknown unit.
  public init?(_ text: String) {
    let trimmed = text.drop { $0 == " " }
    let bytes = Array(trimmed.utf8)
    // Mixing desks show `+3 dB`, and JSON has no such number.
    let start = bytes.first == UInt8(ascii: "+") ? 1 : 0
    guard let end = numberEnd(in: bytes, from: start),
      let number = Double(String(decoding: bytes[start..<end], as: UTF8.self)), number.isFinite
    else { return nil }
    var unit = String(decoding: bytes[end...], as: UTF8.self).lowercased()
    unit.removeAll { $0 == " " }
    let (measure, factor): (Measure, Double)
    switch unit {
    case "": (measure, factor) = (.number, 1)
    case "db", "dbfs": (measure, factor) = (.decibels, 1)
    case "s", "sec", "secs", "second", "seconds": (measure, factor) = (.seconds, 1)
    case "ms", "msec", "millisecond", "milliseconds": (measure, factor) = (.seconds, 0.001)
    case "us", "µs", "μs": (measure, factor) = (.seconds, 0.000_001)
    case "min", "minute", "minutes": (measure, factor) = (.seconds, 60)
    case "hz": (measure, factor) = (.hertz, 1)
    case "khz", "k": (measure, factor) = (.hertz, 1000)
    case "%", "percent": (measure, factor) = (.percent, 1)
    default: return nil
    }
    value = number * factor
    self.measure = measure
  }

  /// The factor of a number of decibels, with a relative error of 1e-14.
  public static func exactFactor(ofDecibels decibels: Double) -> Double {
    exponential10(decibels / 20)
  }

  /// 10 to a power of -300 to 300, without a C library.
  private static func exponential10(_ power: Double) -> Double {
    // The series of e for a power small enough, then squared back.
    let exponent = min(max(power, -300), 300) * 2.302_585_092_994_046
    let halvings = 10
    let small = exponent / Double(1 << halvings)
    var term = 1.0
    var sum = 1.0
    for index in 1...12 {
      term *= small / Double(index)
      sum += term
    }
    for _ in 0..<halvings { sum *= sum }
    return sum
  }

  /// A number as a patch writes it: without a fraction where it is whole, and rounded to a
  /// millionth.
  public static func text(_ value: Double) -> String {
    let rounded = (value * 1_000_000).rounded() / 1_000_000
    let shown = rounded == 0 ? value : rounded
    return shown == shown.rounded() && abs(shown) < 1e15 ? String(Int(shown)) : "\(shown)"
  }
}
