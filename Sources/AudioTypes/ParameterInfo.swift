/// The unit of a parameter's value: Core Audio's `AudioUnitParameterUnit`, with its numbers.
public enum ParameterUnit: UInt32, CaseIterable, Hashable, Sendable {
  case generic, indexed, boolean, percent, seconds, sampleFrames, phase, rate, hertz, cents
  case relativeSemiTones, midiNoteNumber, midiController, decibels, linearGain, degrees
  case equalPowerCrossfade, mixerFaderCurve1, pan, meters, absoluteCents, octaves
  case beatsPerMinute, beats, milliseconds, ratio, custom

  /// The symbol behind a number: `dB`, `Hz`; empty for none.
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
  private struct Fields: Hashable, Sendable {
    var id: UInt32
    var key: String
    var constant: String
    var scope: Scope
    var unit: ParameterUnit
    var range: ClosedRange<Float>
    var defaultValue: Float
    var isReadOnly: Bool
    var isRangeEnforced: Bool
    var canRamp: Bool
    var summary: String
    var valueNames: [String]
    var proposed: String
  }

  private var storage: SharedFields<Fields>

  /// Its number in Core Audio.
  public var id: UInt32 {
    get { storage.fields.id }
    set { storage.fields.id = newValue }
  }
  /// Its name in a patch: `volume`.
  public var key: String {
    get { storage.fields.key }
    set { storage.fields.key = newValue }
  }
  /// Its name in Core Audio's headers: `kMultiChannelMixerParam_Volume`.
  public var constant: String {
    get { storage.fields.constant }
    set { storage.fields.constant = newValue }
  }
  /// The scope that has it.
  public var scope: Scope {
    get { storage.fields.scope }
    set { storage.fields.scope = newValue }
  }
  /// The unit of its values.
  public var unit: ParameterUnit {
    get { storage.fields.unit }
    set { storage.fields.unit = newValue }
  }
  /// The documented range. `isRangeEnforced` tells whether a value outside of it is an error.
  public var range: ClosedRange<Float> {
    get { storage.fields.range }
    set { storage.fields.range = newValue }
  }
  /// The value in a new unit.
  public var defaultValue: Float {
    get { storage.fields.defaultValue }
    set { storage.fields.defaultValue = newValue }
  }
  /// Whether only the unit sets it: a meter, which clients read.
  public var isReadOnly: Bool {
    get { storage.fields.isReadOnly }
    set { storage.fields.isReadOnly = newValue }
  }
  /// Whether a value outside `range` is an error. Otherwise it is a warning.
  public var isRangeEnforced: Bool {
    get { storage.fields.isRangeEnforced }
    set { storage.fields.isRangeEnforced = newValue }
  }
  /// Whether a scheduled change may be a ramp (`kAudioUnitParameterFlag_CanRamp`).
  public var canRamp: Bool {
    get { storage.fields.canRamp }
    set { storage.fields.canRamp = newValue }
  }
  /// A sentence for users.
  public var summary: String {
    get { storage.fields.summary }
    set { storage.fields.summary = newValue }
  }
  /// The names of the values of an indexed or boolean parameter.
  public var valueNames: [String] {
    get { storage.fields.valueNames }
    set { storage.fields.valueNames = newValue }
  }
  /// What patchrun decided about it where Core Audio documents nothing; empty for none.
  public var proposed: String {
    get { storage.fields.proposed }
    set { storage.fields.proposed = newValue }
  }

  public init(
    id: UInt32, key: String, constant: String, scope: Scope, unit: ParameterUnit,
    range: ClosedRange<Float>, defaultValue: Float, isReadOnly: Bool = false,
    isRangeEnforced: Bool = true, canRamp: Bool = false, summary: String,
    valueNames: [String] = [], proposed: String = ""
  ) {
    storage = SharedFields(
      Fields(
        id: id,
        key: key,
        constant: constant,
        scope: scope,
        unit: unit,
        range: range,
        defaultValue: defaultValue,
        isReadOnly: isReadOnly,
        isRangeEnforced: isRangeEnforced,
        canRamp: canRamp,
        summary: summary,
        valueNames: valueNames,
        proposed: proposed))
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
