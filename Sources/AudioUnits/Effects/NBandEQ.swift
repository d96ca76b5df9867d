public import AudioTypes
import Glibc

/// 1 to 64 filters in series, each of one of eleven types, and a gain behind them.
public enum NBandEQ: FilterUnit {
  /// The numbers of the first band's parameters; those of band n (from 0) are n more.
  public enum Parameter {
    public static let globalGain: UInt32 = 0
    public static let bypassBand: UInt32 = 1000
    public static let filterType: UInt32 = 2000
    public static let frequency: UInt32 = 3000
    public static let gain: UInt32 = 4000
    public static let bandwidth: UInt32 = 5000
  }

  /// The largest number of bands.
  public static let mostBands = 64

  public static let description = UnitDescription(
    component: ComponentDescription(type: .effectType, subtype: "nbeq", manufacturer: .apple),
    name: "NBandEQ",
    constant: "kAudioUnitSubType_NBandEQ",
    summary:
      "An equalizer of 1 to 64 filters, each of one of eleven types, with a gain behind them.",
    properties: EffectProperties.common + [
      FilterProperties.response,
      PropertyInfo(
        .numberOfBands, key: "numberOfBands", constant: "kAUNBandEQProperty_NumberOfBands",
        kind: .integer(1...mostBands), scopes: [.global],
        access: .readWriteUntilInitialized, defaultValue: .uint32(8), isPatchProperty: true,
        summary: "How many bands there are. A patch with bands need not set it.",
        proposed: "that there are 8 at birth, and 64 at most; the original has 16"),
      PropertyInfo(
        .maximumNumberOfBands, key: "maxNumberOfBands",
        constant: "kAUNBandEQProperty_MaxNumberOfBands", kind: .integer(0...Int(UInt32.max)),
        scopes: [.global], access: .readOnly, defaultValue: .uint32(UInt32(mostBands)),
        summary: "How many bands there can be."),
      PropertyInfo(
        .biquadCoefficients, key: "biquadCoefficients",
        constant: "kAUNBandEQProperty_BiquadCoefficients", kind: .structure(.doubles),
        scopes: [.global],
        access: .readOnly,
        summary: "Of each band a1, a2, b0, b1, b2 with a0 = 1, as it is set now.",
        proposed: "the order; that a band which is bypassed is 0, 0, 1, 0, 0"),
      PropertyInfo(
        .filterDesign, key: "design", constant: "dsgn",
        kind: .choice([.init(0, "cookbook"), .init(1, "matched")]), scopes: [.global],
        access: .readWriteUntilInitialized, defaultValue: .uint32(0), isPatchProperty: true,
        summary:
          "How the filters follow analogue ones: the Audio EQ Cookbook's are squeezed towards "
          + "half the rate, as those of most programs; matched ones (Vicanek 2016) are not.",
        proposed: "that there is a choice; the original is matched in a way of its own"),
    ],
    parameters: [
      ParameterInfo(
        id: Parameter.globalGain, key: "globalGain", constant: "kAUNBandEQParam_GlobalGain",
        scope: .global, unit: .decibels, range: -96...24, defaultValue: 0, canRamp: true,
        summary: "The gain behind all bands.",
        proposed: "that a unit which is bypassed leaves it out")
    ],
    bands: .init(
      maximumCount: mostBands, countProperty: .numberOfBands,
      parameters: [
        ParameterInfo(
          id: Parameter.bypassBand, key: "bypass", constant: "kAUNBandEQParam_BypassBand",
          scope: .global, unit: .boolean, range: 0...1, defaultValue: 1,
          summary:
            "Whether the band is left out. One that a patch has in its bands is not, unless it "
            + "says so.",
          valueNames: ["off", "on"]),
        ParameterInfo(
          id: Parameter.filterType, key: "type", constant: "kAUNBandEQParam_FilterType",
          scope: .global, unit: .indexed, range: 0...10, defaultValue: 0,
          summary: "What the band does. A change fades.",
          valueNames: FilterShape.allCases.map(\.name)),
        FilterParameters.frequency(
          Parameter.frequency, key: "frequency", constant: "kAUNBandEQParam_Frequency",
          range: 20...192_000, defaultValue: 1000,
          summary: "The center, or where a pass or a shelf begins."),
        FilterParameters.gain(
          Parameter.gain, constant: "kAUNBandEQParam_Gain", range: -96...24,
          summary: "The gain of parametric and of shelves; the others have none."),
        ParameterInfo(
          id: Parameter.bandwidth, key: "bandwidth", constant: "kAUNBandEQParam_Bandwidth",
          scope: .global, unit: .octaves, range: 0.05...5, defaultValue: 0.5,
          isRangeEnforced: false, canRamp: true,
          summary: "In octaves. lowPass, highPass, lowShelf and highShelf have none.",
          proposed: "that N octaves are the analogue filter's, Q = 1/(2 sinh(N ln 2/2)) at any rate"
        ),
      ], bypass: Parameter.bypassBand),
    formatNotes: EffectProperties.formatNotes)

  public static func help(toLowerTo share: Double, in configuration: UnitConfiguration) -> String {
    let decibels = (200 * log10(share)).rounded(.down) / 10
    return "lower it by \"globalGain\": \(decibels) among its \"parameters\""
  }

  public static func plan(in configuration: UnitConfiguration) -> FilterPlan {
    var count = 8
    if case .uint32(let number)? = configuration.properties[
      PropertyPlace(.numberOfBands, .global, 0)]
    {
      count = Int(number)
    }
    return FilterPlan(
      bands: (0..<UInt32(count)).map { band in
        FilterBand(
          type: Parameter.filterType + band, bypass: Parameter.bypassBand + band,
          frequency: Parameter.frequency + band, gain: Parameter.gain + band,
          width: Parameter.bandwidth + band)
      }, width: .octaves, gain: Parameter.globalGain,
      isMatched: configuration.properties[PropertyPlace(.filterDesign, .global, 0)] == .uint32(1))
  }

  public static func effectValue(
    of place: PropertyPlace, settings: EffectSettings
  ) -> PropertyValue? {
    guard place.id == .biquadCoefficients else {
      return FilterProperties.value(of: place, plan(in: settings.configuration), settings)
    }
    let plan = plan(in: settings.configuration)
    return .doubles(
      plan.bands.flatMap { band -> [Double] in
        let filter = plan.filter(of: band, settings) ?? .identity
        return [filter.a1, filter.a2, filter.b0, filter.b1, filter.b2]
      })
  }
}
