import Glibc

enum Decibels {
  /// The factor of a level in decibels.
  static func factor(_ decibels: Double) -> Double { pow(10, decibels / 20) }

  /// The level in decibels of a factor, whose sign is ignored; -infinity for 0.
  static func of(_ factor: Double) -> Double { 20 * log10(abs(factor)) }
}
