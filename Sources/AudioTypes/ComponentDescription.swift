/// The description of a component, or of a search for one: Core Audio's
/// `AudioComponentDescription`.
///
/// In a search a field that is zero matches anything.
public struct ComponentDescription: Hashable, Sendable {
  /// The kind of unit: `'aumx'` for a mixer; `any` in a search.
  public var type: FourCharCode
  /// The unit among those of its type: `'mcmx'`; `any` in a search.
  public var subtype: FourCharCode
  /// The manufacturer: `'appl'`; `any` in a search.
  public var manufacturer: FourCharCode
  /// Always 0 in the Core Audio that patchrun models.
  public var flags: UInt32
  /// Always 0 in the Core Audio that patchrun models.
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

  /// Whether a search for this description finds `component`.
  public func matches(_ component: ComponentDescription) -> Bool {
    func agrees(_ wanted: FourCharCode, _ found: FourCharCode) -> Bool {
      wanted == .any || wanted == found
    }
    return flags == 0 && flagsMask == 0 && agrees(type, component.type)
      && agrees(subtype, component.subtype) && agrees(manufacturer, component.manufacturer)
  }

  /// Whether type, subtype or manufacturer is `any`, so that it may match several components.
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
