/// What to look for among the components: Core Audio's `AudioComponentDescription`.
///
/// In a search a field that is zero matches anything.
public struct ComponentDescription: Hashable, Sendable {
  /// What kind of unit: `'aumx'` for a mixer; `any` in a search.
  public var type: FourCharCode
  /// Which of its kind: `'mcmx'`; `any` in a search.
  public var subtype: FourCharCode
  /// Whose it is: `'appl'`; `any` in a search.
  public var manufacturer: FourCharCode
  /// 0 in every search of this era.
  public var flags: UInt32
  /// 0 in every search of this era.
  public var flagsMask: UInt32

  public init(
    type: FourCharCode = .any, subtype: FourCharCode = .any, manufacturer: FourCharCode = .any,
    flags: UInt32 = 0, flagsMask: UInt32 = 0
  ) {
    self.type = type
    self.subtype = subtype
    self.manufacturer = manufacturer
    self.flags = flags
    self.flagsMask = flagsMask
  }

  /// Whether a search for `self` finds `component`.
  public func matches(_ component: ComponentDescription) -> Bool {
    func agrees(_ wanted: FourCharCode, _ found: FourCharCode) -> Bool {
      wanted == .any || wanted == found
    }
    return flags == 0 && flagsMask == 0 && agrees(type, component.type)
      && agrees(subtype, component.subtype) && agrees(manufacturer, component.manufacturer)
  }

  /// Whether a field is zero, so that more than one component could be meant.
  public var hasWildcard: Bool { type == .any || subtype == .any || manufacturer == .any }
}

extension ComponentDescription: CustomStringConvertible {
  /// `'aumx' 'mcmx' 'appl'`, with `any` for a wildcard.
  public var description: String {
    [type, subtype, manufacturer].map { $0 == .any ? "any" : "\($0)" }.joined(separator: " ")
  }
}

extension FourCharCode {
  /// Zero: the wildcard of a component search.
  public static let any = FourCharCode(rawValue: 0)
  /// `kAudioUnitManufacturer_Apple`
  public static let apple: FourCharCode = "appl"
  /// `kAudioUnitType_FormatConverter`
  public static let formatConverterType: FourCharCode = "aufc"
  /// `kAudioUnitType_Effect`
  public static let effectType: FourCharCode = "aufx"
  /// `kAudioUnitType_Mixer`
  public static let mixerType: FourCharCode = "aumx"
  /// `kAudioUnitType_Output`
  public static let outputType: FourCharCode = "auou"
}
