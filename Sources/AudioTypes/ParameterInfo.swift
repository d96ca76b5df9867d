/// What a parameter's value means: Core Audio's `AudioUnitParameterUnit`, with its numbers.
public enum ParameterUnit: UInt32, CaseIterable, Hashable, Sendable {
  case generic, indexed, boolean, percent, seconds, sampleFrames, phase, rate, hertz, cents
  case relativeSemiTones, midiNoteNumber, midiController, decibels, linearGain, degrees
  case equalPowerCrossfade, mixerFaderCurve1, pan, meters, absoluteCents, octaves
  case beatsPerMinute, beats, milliseconds, ratio, custom

  /// A few letters to follow a number: `dB`, `Hz`; empty where the number stands alone.
  public var symbol: String {
    switch self {
    case .percent: "%"
    case .seconds: "s"
    case .sampleFrames: "frames"
    case .hertz: "Hz"
    case .cents, .absoluteCents: "cents"
    case .decibels: "dB"
    case .degrees: "°"
    case .meters: "m"
    case .milliseconds: "ms"
    case .beatsPerMinute: "bpm"
    default: ""
    }
  }

  public var name: String { "\(self)" }
}

/// One parameter of a unit, on every element of one scope.
public struct ParameterInfo: Hashable, Sendable {
  /// Core Audio's number.
  public var id: UInt32
  /// The name in a patch: `volume`.
  public var key: String
  /// The name in Core Audio's headers: `kMultiChannelMixerParam_Volume`.
  public var constant: String
  public var scope: Scope
  public var unit: ParameterUnit
  /// The described range. Whether a value outside it is refused is `isRangeEnforced`.
  public var range: ClosedRange<Float>
  public var defaultValue: Float
  /// Set by the unit and only read by clients: a meter.
  public var isReadOnly: Bool
  /// Whether a value outside `range` is an error. Otherwise it is a warning.
  public var isRangeEnforced: Bool
  /// Whether a scheduled change may be a ramp (`kAudioUnitParameterFlag_CanRamp`).
  public var canRamp: Bool
  public var summary: String
  /// Names of the values of an indexed or boolean parameter.
  public var valueNames: [String]
  /// What of this row Core Audio does not document and patchrun has decided; empty for none.
  public var proposed: String

  public init(
    id: UInt32, key: String, constant: String, scope: Scope, unit: ParameterUnit,
    range: ClosedRange<Float>, defaultValue: Float, isReadOnly: Bool = false,
    isRangeEnforced: Bool = true, canRamp: Bool = false, summary: String,
    valueNames: [String] = [], proposed: String = ""
  ) {
    self.id = id
    self.key = key
    self.constant = constant
    self.scope = scope
    self.unit = unit
    self.range = range
    self.defaultValue = defaultValue
    self.isReadOnly = isReadOnly
    self.isRangeEnforced = isRangeEnforced
    self.canRamp = canRamp
    self.summary = summary
    self.valueNames = valueNames
    self.proposed = proposed
  }

  /// The name to show: `Pre Average Power`.
  public var name: String {
    var name = ""
    for character in key {
      if name.isEmpty {
        name += character.uppercased()
      } else {
        name += character.isUppercase ? " \(character)" : "\(character)"
      }
    }
    return name
  }

  /// Core Audio's `AudioUnitParameterOptions` for it.
  public var flags: UInt32 {
    var flags: UInt32 = 1 << 30 | 1 << 27
    if !isReadOnly { flags |= 1 << 31 }
    if isReadOnly { flags |= 1 << 15 }
    if canRamp { flags |= 1 << 25 }
    if !valueNames.isEmpty { flags |= 1 << 21 }
    return flags
  }
}
