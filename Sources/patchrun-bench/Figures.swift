import Foundation
import Glibc

/// The processor time of this thread in seconds.
func processorTime() -> Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  return sorted.isEmpty ? 0 : (sorted[sorted.count / 2] + sorted[(sorted.count - 1) / 2]) / 2
}

func decibels(_ ratio: Double) -> Double { 20 * log10(max(ratio, 1e-20)) }

/// A right-aligned number with this many decimals.
func column(_ value: Double, _ decimals: Int = 1, width: Int = 9) -> String {
  column(fixed(value, decimals), width: width)
}

func column(_ text: String, width: Int = 9) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

/// A number with this many decimals.
func fixed(_ value: Double, _ decimals: Int) -> String {
  var scale = 1.0
  for _ in 0..<decimals { scale *= 10 }
  let whole = Int((abs(value) * scale).rounded())
  let digits = String(whole % Int(scale) + Int(scale)).dropFirst()
  let sign = value < 0 && whole > 0 ? "-" : ""
  return sign + String(whole / Int(scale)) + (decimals > 0 ? "." + digits : "")
}

/// Writes a file of text.
func write(_ text: String, _ path: String) throws {
  try Data(text.utf8).write(to: URL(fileURLWithPath: path))
}

/// A measurement with options of its own.
protocol OptionMeasurement {
  /// Its name and its options.
  static var usage: String { get }

  /// `nil` for options that it does not have.
  init?(_ arguments: [String])

  /// Returns whether all is as it should be.
  mutating func run() -> Bool
}
