public import AudioTypes

/// The properties that every unit has (facts, section 2.2), in the order of their numbers.
public enum GenericProperties {
  public static let all: [PropertyInfo] = [
    PropertyInfo(
      .sampleRate, key: "sampleRate", constant: "kAudioUnitProperty_SampleRate", kind: .float64,
      scopes: [.input, .output], access: .readWrite,
      summary: "The rate of the bus's stream format, in Hz; the rest of the format stays."),
    PropertyInfo(
      .parameterList, key: "parameterList", constant: "kAudioUnitProperty_ParameterList",
      kind: .ids, scopes: [.global, .input, .output], access: .readOnly,
      summary: "The numbers of the parameters that the elements of a scope have."),
    PropertyInfo(
      .parameterInfo, key: "parameterInfo", constant: "kAudioUnitProperty_ParameterInfo",
      kind: .parameterInfo, scopes: [.global, .input, .output], access: .readOnly,
      summary: "The description of one parameter, whose number stands in the place of the element."),
    PropertyInfo(
      .streamFormat, key: "streamFormat", constant: "kAudioUnitProperty_StreamFormat",
      kind: .streamFormat, scopes: [.global, .input, .output],
      access: .readWriteUntilInitialized,
      summary: "The stream format of a bus. The global scope means output 0."),
    PropertyInfo(
      .elementCount, key: "elementCount", constant: "kAudioUnitProperty_ElementCount",
      kind: .uint32(0...UInt32.max), scopes: [.global, .input, .output],
      access: .readWriteUntilInitialized,
      summary: "How many elements a scope has; settable where the unit's buses are (inputCount)."),
    PropertyInfo(
      .latency, key: "latency", constant: "kAudioUnitProperty_Latency", kind: .float64,
      scopes: [.global], access: .readOnly, defaultValue: .float64(0),
      summary: "From the input to the output, in seconds."),
    PropertyInfo(
      .maximumFramesPerSlice, key: "maximumFramesPerSlice",
      constant: "kAudioUnitProperty_MaximumFramesPerSlice", kind: .uint32(1...1_048_576),
      scopes: [.global], access: .readWriteUntilInitialized, isPatchProperty: true,
      summary: "The largest slice, in frames, that the unit may be asked for."),
    PropertyInfo(
      .lastRenderError, key: "lastRenderError", constant: "kAudioUnitProperty_LastRenderError",
      kind: .status, scopes: [.global], access: .readOnly, defaultValue: .status(.ok),
      summary: "The status of the last render that failed; reading it clears it."),
    PropertyInfo(
      .elementName, key: "elementName", constant: "kAudioUnitProperty_ElementName", kind: .string,
      scopes: [.global, .input, .output], access: .readWrite, isPatchProperty: true,
      summary: "A name for a bus, or on the global scope for the unit."),
  ]

  /// What a unit of this description has: its own properties, and the generic ones it does not
  /// describe otherwise, in the order of their numbers.
  public static func properties(of description: UnitDescription) -> [PropertyInfo] {
    let own = description.properties
    let ids = Set(own.map(\.id))
    return (own + all.filter { !ids.contains($0.id) }).sorted { $0.id.rawValue < $1.id.rawValue }
  }
}
