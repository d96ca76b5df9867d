public import AudioTypes
import RenderCore

/// How a unit gives the width of its filters.
public enum FilterWidth: Sendable {
  /// Q itself.
  case q
  /// The bandwidth in octaves, or in cents.
  case octaves, cents
  /// The level at the cutoff frequency of a low or high pass, in decibels: Q = 10^(R/20).
  case resonance
  /// No width: Q is 1/√2.
  case none

  @_noLocks
  func q(_ value: Double) -> Double {
    switch self {
    case .q: value
    case .octaves: FilterDesign.q(octaves: value)
    case .cents: FilterDesign.q(octaves: value / 1200)
    case .resonance: renderPower(10, value / 20)
    case .none: FilterDesign.plainQ
    }
  }
}

/// The parameters of a unit that determine one of its filters.
public struct FilterBand: Sendable {
  /// The parameter of the filter's type; `nil` for a fixed `shape`.
  var type: UInt32?
  var shape = FilterShape.parametric
  /// The parameter that bypasses the filter; `nil` for none.
  var bypass: UInt32?
  var frequency: UInt32
  var gain: UInt32?
  var width: UInt32?

  /// The controls in the order in which the kernel reads them.
  func controls(_ layout: ControlLayout, length: Int) -> [GlideBank.Control] {
    func control(
      _ parameter: UInt32?, _ length: Int, instead value: Double
    ) -> GlideBank.Control {
      parameter.flatMap { layout.slot($0, .global, 0) }.map { .init($0, length: length) }
        ?? .init(always: value)
    }
    return [
      control(frequency, length, instead: 1000), control(gain, length, instead: 0),
      control(width, length, instead: 0), control(type, 0, instead: Double(shape.rawValue)),
      control(bypass, 0, instead: 0),
    ]
  }
}

/// The filters of a unit, which determine its kernel, its response and its tail.
public struct FilterPlan {
  var bands: [FilterBand]
  var width: FilterWidth
  /// The parameter of the gain behind all filters, in decibels; `nil` for none.
  var gain: UInt32?
  var isMatched = false

  /// The filters that are on with the present settings.
  func filters(_ settings: EffectSettings) -> [Biquad] {
    guard settings.sampleRate > 0, !settings.isBypassed else { return [] }
    return bands.compactMap { filter(of: $0, settings) }
  }

  /// The filter of a band; `nil` for one that is switched off.
  func filter(of band: FilterBand, _ settings: EffectSettings) -> Biquad? {
    if let bypass = band.bypass, settings[bypass] != 0 { return nil }
    let shape = band.type.map { FilterShape.numbered(settings[$0]) } ?? band.shape
    return FilterDesign.biquad(
      shape, frequency: settings[band.frequency] / settings.sampleRate,
      gain: band.gain.map { settings[$0] } ?? 0,
      q: width.q(band.width.map { settings[$0] } ?? 0), isMatched: isMatched)
  }

  /// The gain of all filters together in decibels, at frequencies in hertz.
  func gains(at frequencies: [Double], _ settings: EffectSettings) -> [Double] {
    guard settings.sampleRate > 0, !settings.isBypassed else { return frequencies.map { _ in 0 } }
    let filters = filters(settings)
    let gain = self.gain.map { settings[$0] } ?? 0
    return frequencies.map { frequency in
      // Frequencies above half the rate get the gain at half the rate.
      let w = Swift.min(2 * Double.pi * frequency / settings.sampleRate, Double.pi)
      return filters.reduce(gain) { $0 + $1.gain(at: w) }
    }
  }

  func tailTime(_ settings: EffectSettings) -> Double {
    // The longest tail of one filter. In series the sound may last longer, at most for the sum.
    (filters(settings).map(\.tailFrames).max() ?? 0) / settings.sampleRate
  }
}

/// A unit that consists of filters, which are in `plan`.
public protocol FilterUnit: EffectUnit {
  static func plan(in configuration: UnitConfiguration) -> FilterPlan
}

extension FilterUnit {
  public static func effectValue(
    of place: PropertyPlace, settings: EffectSettings
  ) -> PropertyValue? {
    FilterProperties.value(of: place, plan(in: settings.configuration), settings)
  }

  public static func effectViolations(in configuration: UnitConfiguration) -> [Violation] {
    let rate = configuration.outputs[0].format.sampleRate
    return plan(in: configuration).bands.compactMap { band -> Violation? in
      if let bypass = band.bypass, configuration.parameter(bypass, .global, 0) != 0 { return nil }
      guard let value = configuration.parameter(band.frequency, .global, 0), rate > 0,
        Double(value) > rate / 2
      else { return nil }
      return Violation(
        UnitRules.parameterUsualRange, status: .ok,
        "\(rateText(Double(value))) Hz is above half the rate of \(rateText(rate)) Hz: the filter is "
          + "one of \(rateText((FilterDesign.highest * rate).rounded())) Hz",
        at: .init(node: nil, .parameter(band.frequency, .global, 0)),
        help: ["leave it out, or render at a higher rate"])
    }
  }

  public static func tailTime(of settings: EffectSettings) -> Double {
    plan(in: settings.configuration).tailTime(settings)
  }

  public static func gains(
    at frequencies: [Double], in configuration: UnitConfiguration, controls: ControlLayout
  ) -> [Double]? {
    plan(in: configuration).gains(
      at: frequencies, EffectSettings(configuration, controls: controls))
  }

  public static func makeKernels(
    _ configuration: UnitConfiguration, controls: ControlLayout
  ) -> UnitKernels {
    UnitKernels(
      main: .holding(
        FilterKernel(plan(in: configuration), configuration, controls: controls),
        with: controls.block))
  }
}
