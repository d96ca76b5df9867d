import Glibc

// libm neither locks nor allocates, but the checker cannot see into C. These are the only doors:
// add one here rather than silencing a kernel.

@_semantics("no_performance_analysis")
public func renderSine(_ x: Double) -> Double { sin(x) }

@_semantics("no_performance_analysis")
public func renderCosine(_ x: Double) -> Double { cos(x) }

@_semantics("no_performance_analysis")
public func renderExp(_ x: Double) -> Double { exp(x) }

/// exp(x) - 1, exact also where x is small.
@_semantics("no_performance_analysis")
public func renderExpMinusOne(_ x: Double) -> Double { expm1(x) }

@_semantics("no_performance_analysis")
public func renderLog10(_ x: Double) -> Double { log10(x) }

@_semantics("no_performance_analysis")
public func renderSquareRoot(_ x: Float) -> Float { x.squareRoot() }

@_semantics("no_performance_analysis")
public func renderFloor(_ x: Double) -> Double { x.rounded(.down) }

/// Rounds to the nearest whole number, halves to even.
@_semantics("no_performance_analysis")
public func renderRound(_ x: Double) -> Double { rint(x) }
