import Glibc

// libm neither locks nor allocates, but the checker cannot see into C. Only these functions call
// it: add one here rather than silencing a kernel.

/// sin(x), in radians.
@_semantics("no_performance_analysis")
public func renderSine(_ x: Double) -> Double { sin(x) }

/// cos(x), in radians.
@_semantics("no_performance_analysis")
public func renderCosine(_ x: Double) -> Double { cos(x) }

/// e to the power of x.
@_semantics("no_performance_analysis")
public func renderExp(_ x: Double) -> Double { exp(x) }

/// exp(x) - 1, accurate for small x too.
@_semantics("no_performance_analysis")
public func renderExpMinusOne(_ x: Double) -> Double { expm1(x) }

/// The logarithm to base 10.
@_semantics("no_performance_analysis")
public func renderLog10(_ x: Double) -> Double { log10(x) }

/// √x; NaN below 0.
@_semantics("no_performance_analysis")
public func renderSquareRoot(_ x: Float) -> Float { x.squareRoot() }

/// The largest whole number that is not above x.
@_semantics("no_performance_analysis")
public func renderFloor(_ x: Double) -> Double { x.rounded(.down) }

/// Rounds to the nearest whole number, halves to even.
@_semantics("no_performance_analysis")
public func renderRound(_ x: Double) -> Double { rint(x) }

/// tan(x), in radians.
@_semantics("no_performance_analysis")
public func renderTangent(_ x: Double) -> Double { tan(x) }

/// The angle in radians, -π/2 to π/2, whose sine is x.
@_semantics("no_performance_analysis")
public func renderArcSine(_ x: Double) -> Double { asin(x) }

/// The angle in radians, 0 to π, whose cosine is x.
@_semantics("no_performance_analysis")
public func renderArcCosine(_ x: Double) -> Double { acos(x) }

/// The angle in radians, -π/2 to π/2, whose tangent is x.
@_semantics("no_performance_analysis")
public func renderArcTangent(_ x: Double) -> Double { atan(x) }

/// The angle of the point (x, y) in radians, -π to π.
@_semantics("no_performance_analysis")
public func renderArcTangent(_ y: Double, _ x: Double) -> Double { atan2(y, x) }

/// sinh(x)
@_semantics("no_performance_analysis")
public func renderHyperbolicSine(_ x: Double) -> Double { sinh(x) }

/// cosh(x)
@_semantics("no_performance_analysis")
public func renderHyperbolicCosine(_ x: Double) -> Double { cosh(x) }

/// tanh(x)
@_semantics("no_performance_analysis")
public func renderHyperbolicTangent(_ x: Double) -> Double { tanh(x) }

/// The natural logarithm.
@_semantics("no_performance_analysis")
public func renderLog(_ x: Double) -> Double { log(x) }

/// The logarithm to base 2.
@_semantics("no_performance_analysis")
public func renderLog2(_ x: Double) -> Double { log2(x) }

/// x to the power of y.
@_semantics("no_performance_analysis")
public func renderPower(_ x: Double, _ y: Double) -> Double { pow(x, y) }

/// √(x² + y²), without overflow on the way.
@_semantics("no_performance_analysis")
public func renderHypotenuse(_ x: Double, _ y: Double) -> Double { hypot(x, y) }

/// The remainder of x / y truncated, with the sign of x.
@_semantics("no_performance_analysis")
public func renderRemainder(_ x: Double, _ y: Double) -> Double { fmod(x, y) }

/// √x; NaN below 0.
@_semantics("no_performance_analysis")
public func renderSquareRoot(_ x: Double) -> Double { x.squareRoot() }

/// The smallest whole number that is not below x.
@_semantics("no_performance_analysis")
public func renderCeiling(_ x: Double) -> Double { ceil(x) }

/// x without its fraction.
@_semantics("no_performance_analysis")
public func renderTruncation(_ x: Double) -> Double { trunc(x) }

/// Rounds to the nearest whole number, halves away from 0.
@_semantics("no_performance_analysis")
public func renderRoundHalvesAway(_ x: Double) -> Double { round(x) }
