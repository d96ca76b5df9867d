import AudioTypes

/// A unit of one filter, which `band` describes.
///
/// To add one, write a file with its description (made by `filter`), its band and its width.
public protocol SingleFilterUnit: FilterUnit {
  static var band: FilterBand { get }
  static var width: FilterWidth { get }
}

extension SingleFilterUnit {
  public static func plan(in configuration: UnitConfiguration) -> FilterPlan {
    FilterPlan(bands: [band], width: width)
  }

  /// The description of a unit of one filter.
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
      properties: EffectProperties.common + [FilterProperties.response],
      parameters: parameters,
      formatNotes: EffectProperties.formatNotes)
  }
}
