import Glibc

enum Decibels {
  /// The factor that so many decibels are.
  static func factor(_ decibels: Double) -> Double { pow(10, decibels / 20) }

  /// The decibels that a factor is; -infinity for 0.
  static func of(_ factor: Double) -> Double { 20 * log10(abs(factor)) }
}
