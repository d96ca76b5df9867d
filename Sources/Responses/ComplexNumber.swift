import Glibc

/// A complex number.
struct ComplexNumber: Hashable, Sendable {
  var real: Double
  var imaginary: Double

  static let zero = ComplexNumber(real: 0, imaginary: 0)

  var power: Double { real * real + imaginary * imaginary }
  var magnitude: Double { power.squareRoot() }
  /// In radians, from -pi to pi.
  var angle: Double { atan2(imaginary, real) }

  static func - (left: ComplexNumber, right: ComplexNumber) -> ComplexNumber {
    ComplexNumber(real: left.real - right.real, imaginary: left.imaginary - right.imaginary)
  }

  static func / (left: ComplexNumber, right: ComplexNumber) -> ComplexNumber {
    let power = right.power
    return ComplexNumber(
      real: (left.real * right.real + left.imaginary * right.imaginary) / power,
      imaginary: (left.imaginary * right.real - left.real * right.imaginary) / power)
  }
}
