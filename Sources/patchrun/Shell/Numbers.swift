import RenderCore

/// A number with this many decimals, rounded to the nearest.
func fixed(_ value: Double, _ digits: Int) -> String {
  guard value.isFinite else { return value.isNaN ? "nan" : value < 0 ? "-inf" : "inf" }
  let factor = (0..<digits).reduce(1.0) { product, _ in product * 10 }
  let scaled = (value.magnitude * factor).rounded()
  guard scaled < 9e15 else { return "\(value)" }
  let whole = Int(scaled)
  let sign = value < 0 && whole > 0 ? "-" : ""
  guard digits > 0 else { return sign + String(whole) }
  let text = String(whole)
  let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
  // Strings, not their slices: to add these, the runtime looks through all conformances of the program once.
  return sign + String(padded.dropLast(digits)) + "." + String(padded.suffix(digits))
}

/// Seconds as a clock: `0:05.2`, `1:02:03.0`.
func clock(_ seconds: Double) -> String {
  let tenths = Int(max(0, min(seconds, 1e9)) * 10)
  let (hours, minutes) = (tenths / 36_000, tenths / 600 % 60)
  let rest = "\(tenths / 100 % 6)\(tenths / 10 % 10).\(tenths % 10)"
  guard hours > 0 else { return "\(minutes):\(rest)" }
  return "\(hours):\(minutes < 10 ? "0" : "")\(minutes):\(rest)"
}

/// `1 frame`, `2 frames`.
func counted(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }

/// `1 spectrum`, `2 spectra`.
func counted(_ count: Int, _ one: String, _ several: String) -> String {
  "\(count) \(count == 1 ? one : several)"
}

/// Words with commas, and `and` before the last.
func listed(_ words: [String]) -> String {
  guard words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " and " + words[words.count - 1]
}

/// A magnitude (1 is full scale) in decibels: `-3.0 dBFS`.
func decibels(_ magnitude: Double) -> String {
  magnitude > 0 ? "\(fixed(20 * renderLog10(magnitude), 1)) dBFS" : "-inf dBFS"
}
