import AudioTypes

/// A unit that is one filter: `band` says which, and by which parameters it is set.
///
/// Each is a file with a description, made by `filter`, its band and what says how wide it is.
public protocol SingleFilterUnit: FilterUnit {
  static var band: FilterBand { get }
  static var width: FilterWidth { get }
}

extension SingleFilterUnit {
  public static func plan(in configuration: UnitConfiguration) -> FilterPlan {
    FilterPlan(bands: [band], width: width)
  }

  /// The description of a unit that is one filter.
  ///
  /// - Parameters:
  ///   - subtype: Its four characters.
  ///   - name: Also the end of its constant, `kAudioUnitSubType_…`.
  static func filter(
    _ subtype: FourCharCode, name: String, summary: String, parameters: [ParameterInfo]
  ) -> UnitDescription {
    UnitDescription(
      component: ComponentDescription(
        type: .effectType, subtype: subtype, manufacturer: .apple),
      name: name,
      constant: "kAudioUnitSubType_\(name)",
      summary: summary,
      inputs: .init(count: 1),
      outputs: .init(count: 1),
      properties: EffectProperties.common + [FilterProperties.response],
      parameters: parameters,
      formatNotes: EffectProperties.formatNotes)
  }
}
