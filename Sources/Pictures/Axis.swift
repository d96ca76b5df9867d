import Glibc

/// One axis of a plot: its values, and which of them are written beside it.
public struct Axis: Hashable, Sendable {
  /// How values are spaced along an axis.
  public enum Scale: Hashable, Sendable {
    case linear
    /// Both ends are above 0.
    case logarithmic
  }

  /// A line across the plot, and the text beside it.
  public struct Tick: Hashable, Sendable {
    /// In the unit of the axis.
    public var value: Double
    /// Empty for a line without a text.
    public var text: String

    public init(_ value: Double, _ text: String) {
      self.value = value
      self.text = text
    }
  }

  /// The quantity, in words.
  public var name: String
  /// How values are spaced along it.
  public var scale: Scale
  /// The values at its ends.
  public var domain: ClosedRange<Double>
  /// The lines across the plot, in order.
  public var ticks: [Tick]

  public init(
    _ name: String, _ scale: Scale = .linear, domain: ClosedRange<Double>, ticks: [Tick] = []
  ) {
    precondition(
      domain.lowerBound < domain.upperBound && (scale == .linear || domain.lowerBound > 0),
      "an axis has an extent")
    self.name = name
    self.scale = scale
    self.domain = domain
    self.ticks = ticks
  }

  /// The place of a value: 0 at the lower end, 1 at the upper one.
  public func share(_ value: Double) -> Double {
    switch scale {
    case .linear:
      (value - domain.lowerBound) / (domain.upperBound - domain.lowerBound)
    case .logarithmic:
      log(value / domain.lowerBound) / log(domain.upperBound / domain.lowerBound)
    }
  }

  /// The value at a place, from 0 at the lower end to 1 at the upper one.
  public func value(_ share: Double) -> Double {
    switch scale {
    case .linear: domain.lowerBound + share * (domain.upperBound - domain.lowerBound)
    case .logarithmic: domain.lowerBound * pow(domain.upperBound / domain.lowerBound, share)
    }
  }
}

// MARK: - Kinds

extension Axis {
  /// Numbers at round steps.
  ///
  /// - Parameters:
  ///   - count: How many ticks there is room for.
  ///   - steps: The steps to choose from; where none is large enough, 1, 2 or 5 times a power of
  ///     ten.
  public static func numbers(
    _ name: String, _ domain: ClosedRange<Double>, count: Int, steps: [Double] = []
  ) -> Axis {
    let span = domain.upperBound - domain.lowerBound
    let least = span / Double(max(1, count))
    let step = steps.first { $0 >= least } ?? roundStep(atLeast: least)
    return Axis(name, domain: domain, ticks: multiples(of: step, in: domain))
  }

  /// Decibels, at the usual steps.
  public static func decibels(_ name: String, _ domain: ClosedRange<Double>, count: Int) -> Axis {
    numbers(name, domain, count: count, steps: [0.1, 0.2, 0.5, 1, 2, 3, 6, 10, 12, 20, 30, 40, 60])
  }

  /// Degrees of a turn.
  public static func degrees(_ name: String, _ domain: ClosedRange<Double>, count: Int) -> Axis {
    numbers(name, domain, count: count, steps: [1, 2, 5, 10, 15, 30, 45, 90, 180, 360, 720])
  }

  /// Seconds as a clock shows them: min:s, or h:min:s for an hour or more.
  public static func time(_ domain: ClosedRange<Double>, count: Int) -> Axis {
    let least = (domain.upperBound - domain.lowerBound) / Double(max(1, count))
    let steps = [
      1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
    ]
    let step =
      least <= 0.5
      ? roundStep(atLeast: least)
      : steps.first { Double($0) >= least }.map(Double.init) ?? (least / 86_400).rounded(.up)
        * 86_400
    let name = domain.upperBound < 3600 ? "time, min:s" : "time, h:min:s"
    var axis = Axis(name, domain: domain, ticks: multiples(of: step, in: domain))
    let digits = step < 1 ? max(1, Int((-log10(step) - 1e-9).rounded(.up))) : 0
    for index in axis.ticks.indices {
      axis.ticks[index].text = clock(axis.ticks[index].value, digits: digits)
    }
    return axis
  }

  /// Hertz.
  public static func frequency(
    _ domain: ClosedRange<Double>, _ scale: Scale = .logarithmic, count: Int
  ) -> Axis {
    let isWide = scale == .logarithmic && domain.upperBound / domain.lowerBound >= 8
    var axis =
      isWide
      ? Axis("frequency, Hz", .logarithmic, domain: domain)
      : numbers("frequency, Hz", domain, count: count)
    axis.scale = scale
    guard isWide else {
      for index in axis.ticks.indices {
        axis.ticks[index].text = hertz(axis.ticks[index].value)
      }
      return axis
    }
    let decades = log10(domain.upperBound / domain.lowerBound)
    let room = Double(count) / decades
    let named: Set<Int> = room >= 9 ? [1, 2, 3, 5, 7] : room >= 1.6 ? [1, 2, 5] : [1]
    var decade = pow(10, log10(domain.lowerBound).rounded(.down))
    while decade <= domain.upperBound {
      for digit in 1...9 {
        let value = decade * Double(digit)
        guard domain.contains(value) else { continue }
        axis.ticks.append(Tick(value, named.contains(digit) ? hertz(value) : ""))
      }
      decade *= 10
    }
    return axis
  }

  // MARK: Writing

  private static func roundStep(atLeast least: Double) -> Double {
    let decade = pow(10, log10(least).rounded(.down))
    for factor in [1.0, 2, 5] where factor * decade >= least * (1 - 1e-9) {
      return factor * decade
    }
    return 10 * decade
  }

  private static func multiples(of step: Double, in domain: ClosedRange<Double>) -> [Tick] {
    let slack = step * 1e-6
    var number = ((domain.lowerBound - slack) / step).rounded(.up)
    var ticks: [Tick] = []
    let digits = max(0, Int((-log10(step) - 1e-9).rounded(.up)))
    while number * step <= domain.upperBound + slack, ticks.count < 1000 {
      let value = number == 0 ? 0 : number * step
      ticks.append(Tick(value, Decimal.text(value, digits)))
      number += 1
    }
    return ticks
  }

  /// `440`, `2.5k`, `10k`
  static func hertz(_ value: Double) -> String {
    value >= 1000 ? Decimal.shortest(value / 1000) + "k" : Decimal.shortest(value)
  }

  /// `0:05`, `1:02:03`, `0:00.25`
  static func clock(_ seconds: Double, digits: Int) -> String {
    let factor = (0..<digits).reduce(1.0) { product, _ in product * 10 }
    let units = Int((max(0, seconds) * factor).rounded())
    let whole = units / Int(factor)
    let rest = whole % 60
    var text = "\(whole / 60 % 60):\(rest < 10 ? "0" : "")\(rest)"
    if whole >= 3600 { text = "\(whole / 3600):\(text.utf8.count < 5 ? "0" : "")\(text)" }
    guard digits > 0 else { return text }
    let fraction = String(units % Int(factor))
    return text + "." + String(repeating: "0", count: digits - fraction.count) + fraction
  }
}
