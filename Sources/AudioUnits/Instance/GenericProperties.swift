public import AudioTypes

/// The properties that every unit has, in the order of their numbers.
public enum GenericProperties {
  /// The properties of every unit, whatever its kind.
  public static let all: [PropertyInfo] =
    (state + formats + rendering + parameters + names + memory + dithering).sorted {
      $0.id.rawValue < $1.id.rawValue
    }

  private static let everywhere: Set<Scope> = [.global, .input, .output]

  private static let state: [PropertyInfo] = [
    PropertyInfo(
      .classInfo, key: "classInfo", constant: "kAudioUnitProperty_ClassInfo",
      kind: .structure(.classInfo),
      scopes: [.global], access: .readWrite,
      summary: "The state of the unit, to keep and to put back: parameters, properties, names."),
    PropertyInfo(
      .presentPreset, key: "presentPreset", constant: "kAudioUnitProperty_PresentPreset",
      kind: .preset([]), scopes: [.global], access: .readWrite,
      defaultValue: .preset(Preset(number: -1, name: "Untitled")), isPatchProperty: true,
      summary: "What the present settings are called: a number below 0, and a name of one's own.",
      proposed: "the name at first"),
    PropertyInfo(
      .classInfoFromDocument, key: "classInfoFromDocument",
      constant: "kAudioUnitProperty_ClassInfoFromDocument", kind: .structure(.classInfo),
      scopes: [.global],
      access: .writeOnly, summary: "A state out of a document, to put back as classInfo does.",
      proposed: "its scope and access"),
  ]

  private static let formats: [PropertyInfo] = [
    PropertyInfo(
      .makeConnection, key: "makeConnection", constant: "kAudioUnitProperty_MakeConnection",
      kind: .structure(.object(noun: "a UnitConnection", size: 16)), scopes: [.global, .input],
      access: .writeOnly,
      summary:
        "Feeds an input by an output of another unit of the graph (connections, in a patch).",
      proposed: "that it is an edit of the graph, which waits for its update"),
    PropertyInfo(
      .setRenderCallback, key: "setRenderCallback",
      constant: "kAudioUnitProperty_SetRenderCallback",
      kind: .structure(.object(noun: "a CallbackReference", size: 16)), scopes: [.global, .input],
      access: .writeOnly,
      summary: "Feeds an input by a callback, or by nothing (connections, in a patch).",
      proposed: "that it is an edit of the graph, which waits for its update"),
    PropertyInfo(
      .sampleRate, key: "sampleRate", constant: "kAudioUnitProperty_SampleRate", kind: .anyNumber,
      unit: .hertz,
      scopes: [.input, .output], access: .readWriteUntilInitialized,
      summary: "The rate of the bus's stream format, in Hz; the rest of the format stays."),
    PropertyInfo(
      .streamFormat, key: "streamFormat", constant: "kAudioUnitProperty_StreamFormat",
      kind: .structure(.streamFormat), scopes: everywhere, access: .readWriteUntilInitialized,
      summary: "The stream format of a bus. The global scope means output 0."),
    PropertyInfo(
      .elementCount, key: "elementCount", constant: "kAudioUnitProperty_ElementCount",
      kind: .integer(0...Int(UInt32.max)), scopes: everywhere, access: .readWriteUntilInitialized,
      summary: "How many elements a scope has; settable where the unit's buses are (inputCount)."),
  ]

  private static let rendering: [PropertyInfo] = [
    PropertyInfo(
      .latency, key: "latency", constant: "kAudioUnitProperty_Latency", kind: .anyNumber,
      unit: .seconds,
      scopes: [.global], access: .readOnly, defaultValue: .float64(0),
      summary: "From the input to the output, in seconds."),
    PropertyInfo(
      .maximumFramesPerSlice, key: "maximumFramesPerSlice",
      constant: "kAudioUnitProperty_MaximumFramesPerSlice", kind: .integer(1...1_048_576),
      scopes: [.global], access: .readWriteUntilInitialized, isPatchProperty: true,
      summary: "The largest slice, in frames, that the unit may be asked for."),
    PropertyInfo(
      .lastRenderError, key: "lastRenderError", constant: "kAudioUnitProperty_LastRenderError",
      kind: .structure(.status), scopes: [.global], access: .readOnly, defaultValue: .status(.ok),
      summary: "The status of the last render that failed; reading it clears it."),
    PropertyInfo(
      .hostCallbacks, key: "hostCallbacks", constant: "kAudioUnitProperty_HostCallbacks",
      kind: .structure(.object(noun: "a HostCallbacks", size: 40)), scopes: [.global],
      access: .readWrite,
      defaultValue: .object(.none),
      summary: "What the host can tell of beat and transport. Kept; no unit here asks."),
    PropertyInfo(
      .offlineRender, key: "offlineRender", constant: "kAudioUnitProperty_OfflineRender",
      kind: .boolean, scopes: [.global], access: .readWrite, defaultValue: .uint32(0),
      isPatchProperty: true, isState: false,
      summary: "Whether the client renders offline. Says so, no more: the sound is the same."),
    PropertyInfo(
      .presentationLatency, key: "presentationLatency",
      constant: "kAudioUnitProperty_PresentationLatency", kind: .number(0...(.infinity)),
      unit: .seconds,
      scopes: [.input, .output], access: .writeOnly,
      summary:
        "How long until what crosses the bus is heard, in seconds, as the host tells it. Kept."
    ),
  ]

  private static let parameters: [PropertyInfo] = [
    PropertyInfo(
      .parameterList, key: "parameterList", constant: "kAudioUnitProperty_ParameterList",
      kind: .structure(.ids), scopes: everywhere, access: .readOnly,
      summary: "The numbers of the parameters that the elements of a scope have."),
    PropertyInfo(
      .parameterInfo, key: "parameterInfo", constant: "kAudioUnitProperty_ParameterInfo",
      kind: .structure(.parameterInfo), scopes: everywhere, access: .readOnly,
      summary: "The description of one parameter, whose number stands in the place of the element."),
    PropertyInfo(
      .parameterValueStrings, key: "parameterValueStrings",
      constant: "kAudioUnitProperty_ParameterValueStrings", kind: .structure(.strings),
      scopes: everywhere,
      access: .readOnly,
      summary: "The names of a parameter's values, its number standing in the place of the element."
    ),
    PropertyInfo(
      .parameterStringFromValue, key: "parameterStringFromValue",
      constant: "kAudioUnitProperty_ParameterStringFromValue", kind: .structure(.parameterText),
      scopes: everywhere, access: .readOnly, summary: "What a value of a parameter is called."),
    PropertyInfo(
      .parameterIDName, key: "parameterIDName", constant: "kAudioUnitProperty_ParameterIDName",
      kind: .structure(.parameterText), scopes: everywhere, access: .readOnly,
      summary: "The name of a parameter, no longer than one has room for."),
    PropertyInfo(
      .parameterClumpName, key: "parameterClumpName",
      constant: "kAudioUnitProperty_ParameterClumpName", kind: .structure(.parameterText),
      scopes: everywhere,
      access: .readOnly, summary: "The name of a group of parameters. No unit here has groups."),
    PropertyInfo(
      .parameterValueFromString, key: "parameterValueFromString",
      constant: "kAudioUnitProperty_ParameterValueFromString", kind: .structure(.parameterText),
      scopes: everywhere, access: .readOnly, summary: "Which value of a parameter a text means."),
  ]

  private static let names: [PropertyInfo] = [
    PropertyInfo(
      .contextName, key: "contextName", constant: "kAudioUnitProperty_ContextName", kind: .text,
      scopes: [.global], access: .readWrite, isPatchProperty: true, isState: false,
      summary: "What the host calls the place where the unit is used: a track's name. Shown."),
    PropertyInfo(
      .elementName, key: "elementName", constant: "kAudioUnitProperty_ElementName", kind: .text,
      scopes: everywhere, access: .readWrite, isPatchProperty: true, isState: false,
      summary: "A name for a bus, or on the global scope for the unit. Shown."),
  ]

  private static let memory: [PropertyInfo] = [
    PropertyInfo(
      .shouldAllocateBuffer, key: "shouldAllocateBuffer",
      constant: "kAudioUnitProperty_ShouldAllocateBuffer", kind: .boolean,
      scopes: [.input, .output], access: .readWriteUntilInitialized, defaultValue: .uint32(1),
      isPatchProperty: true,
      summary:
        "Whether a bus may have memory of its own. An output that may not works in the memory "
        + "of input 0 where the unit can work in place; an input never has any.",
      proposed: "what comes of it")
  ]

  private static let dithering: [PropertyInfo] = [
    PropertyInfo(
      .dither, key: "dither", constant: "kAudioConverterPropertyDithering",
      kind: .choice([
        .init(0, "none"), .init(1, "tpdf", constant: "kDitherAlgorithm_TPDF"),
        .init(2, "shaped", constant: "kDitherAlgorithm_NoiseShaping"),
      ]),
      scopes: [.input, .output], access: .readWriteUntilInitialized, defaultValue: .uint32(0),
      isPatchProperty: true,
      summary:
        "What is added before samples are rounded to a bus's integers: nothing, noise of a "
        + "triangular distribution, or the same moved to where ears hear least of it. Samples that the "
        + "format can hold stay as they are.",
      proposed: "that a bus of any unit has this property of an AudioConverter")
  ]

  /// The properties of a unit with this description: its own, and the generic ones that it does not
  /// replace, in the order of their numbers, with the default values that depend on the unit.
  public static func properties(of description: UnitDescription) -> [PropertyInfo] {
    let own = description.properties
    let ids = Set(own.map(\.id))
    let most = PropertyValue.uint32(UInt32(description.defaultMaximumFramesPerSlice))
    return (own + all.filter { !ids.contains($0.id) }).sorted { $0.id.rawValue < $1.id.rawValue }
      .map { $0.id == .maximumFramesPerSlice ? $0.with(defaultValue: most) : $0 }
  }
}
