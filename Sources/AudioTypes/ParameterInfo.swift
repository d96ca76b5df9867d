/// One parameter of a unit, on every element of one scope: a setting, and the scope that has it.
public struct ParameterInfo: Hashable, Sendable {
  /// What a user can set.
  public var setting: SettingInfo
  /// The scope that has it.
  public var scope: Scope
  /// The documented range. `isRangeEnforced` tells whether a value outside of it is an error.
  public let range: ClosedRange<Float>

  /// - Parameters:
  ///   - isRangeEnforced: Whether a value outside `range` is an error. Otherwise it is a warning.
  ///   - canRamp: Whether a scheduled change may be a ramp (`kAudioUnitParameterFlag_CanRamp`).
  ///   - valueNames: The names of the values of an indexed parameter, from the lowest up.
  public init(
    id: UInt32, key: String, constant: String, scope: Scope, unit: ParameterUnit,
    range: ClosedRange<Double>, defaultValue: Double, isReadOnly: Bool = false,
    isRangeEnforced: Bool = true, canRamp: Bool = false, summary: String,
    valueNames: [String] = [], proposed: String = ""
  ) {
    let kind: SettingInfo.Kind =
      switch unit {
      case .boolean: .boolean
      case .indexed where !valueNames.isEmpty:
        .choice(
          valueNames.enumerated().map { .init(UInt32(range.lowerBound) + UInt32($0), $1) })
      default: .number(range)
      }
    setting = SettingInfo(
      key, kind, unit: unit, defaultValue: kind.value(of: defaultValue),
      change: isReadOnly ? .readOnly : canRamp ? .ramp : .live, isRangeEnforced: isRangeEnforced,
      id: id, constant: constant, summary: summary, proposed: proposed)
    self.scope = scope
    self.range = Float(range.lowerBound)...Float(range.upperBound)
  }

  /// Its number in Core Audio.
  public var id: UInt32 { setting.id }
  /// Its name in a patch: `volume`.
  public var key: String { setting.key }
  /// Its name in Core Audio's headers: `kMultiChannelMixerParam_Volume`.
  public var constant: String { setting.constant }
  /// The unit of its values.
  public var unit: ParameterUnit { setting.unit }
  /// A sentence for users.
  public var summary: String { setting.summary }
  /// Whether only the unit sets it: a meter, which clients read.
  public var isReadOnly: Bool { setting.change == .readOnly }
  /// Whether a scheduled change may be a ramp (`kAudioUnitParameterFlag_CanRamp`).
  public var canRamp: Bool { setting.change == .ramp }
  /// Whether a value outside `range` is an error. Otherwise it is a warning.
  public var isRangeEnforced: Bool { setting.isRangeEnforced }
  /// The value in a new unit.
  public var defaultValue: Float {
    Float(setting.kind.number(of: setting.defaultValue) ?? 0)
  }
  /// The names of the values of an indexed or boolean parameter.
  public var valueNames: [String] {
    setting.kind == .boolean ? ["off", "on"] : setting.kind.names
  }
  /// A value as a patch writes it.
  public func written(_ value: Float) -> SettingValue {
    setting.kind.value(of: value.decimal)
  }

  /// Its path in a patch, within the object of its scope: `parameters/volume`; for a parameter of a
  /// band its key: `bands/0/frequency`.
  public var path: [String] {
    isOfBand ? key.split(separator: "/").map(String.init) : ["parameters", key]
  }

  /// Whether its range is a full circle, whose two ends are the same direction.
  public var isCircular: Bool { unit == .degrees && range.upperBound - range.lowerBound == 360 }

  /// The largest magnitude that `wrapped(_:)` changes, in degrees: a hundred turns.
  public static let maximumDegrees: Float = 36_000

  /// The value of the same direction within the range of a circular parameter. Returns a value
  /// beyond `maximumDegrees`, or of any other parameter, unchanged.
  public func wrapped(_ value: Float) -> Float {
    guard isCircular, abs(value) <= Self.maximumDegrees else { return value }
    if value > range.upperBound {
      return value - 360 * ((value - range.upperBound) / 360).rounded(.up)
    }
    if value < range.lowerBound {
      return value + 360 * ((range.lowerBound - value) / 360).rounded(.up)
    }
    return value
  }

  /// Whether it belongs to a band.
  public var isOfBand: Bool { key.utf8.contains(UInt8(ascii: "/")) }

  /// Its name for display: `Pre Average Power`, `Band 0 Frequency`.
  public var name: String {
    var name = ""
    if isOfBand {
      let path = path
      name = "Band \(path[1]) "
      return name + path[2].prefix(1).uppercased() + path[2].dropFirst()
    }
    for character in key {
      if name.isEmpty {
        name += character.uppercased()
      } else {
        name += character.isUppercase ? " \(character)" : "\(character)"
      }
    }
    return name
  }

  /// Its `AudioUnitParameterOptions` in Core Audio.
  public var flags: UInt32 {
    var flags: UInt32 = 1 << 30 | 1 << 27
    if !isReadOnly { flags |= 1 << 31 }
    if isReadOnly { flags |= 1 << 15 }
    if canRamp { flags |= 1 << 25 }
    if !valueNames.isEmpty { flags |= 1 << 21 }
    return flags
  }
}
