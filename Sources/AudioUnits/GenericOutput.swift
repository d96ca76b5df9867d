public import AudioTypes

/// Ends a graph without a device: a client pulls it, and takes the result.
public enum GenericOutput: AudioUnit {
  public static let description = UnitDescription(
    component: ComponentDescription(type: .outputType, subtype: "genr", manufacturer: .apple),
    name: "GenericOutput",
    constant: "kAudioUnitSubType_GenericOutput",
    summary: "Ends a graph that is rendered offline, with no device.",
    properties: [
      OutputUnits.cpuLoad, OutputUnits.supportedNumChannels, OutputUnits.isRunning,
      OutputUnits.channelMap(elements: [.input: 0, .output: 0]), OutputUnits.startTime,
      OutputUnits.startTimestampsAtZero,
    ],
    formatNotes: [
      "input: any number of channels of any sample type: the graph's format",
      "output: the client's format: any rate and sample type, channels as in the input or fewer; "
        + "the input's format until it is set",
    ])

  public static func violations(in configuration: UnitConfiguration) -> [Violation] {
    let conversion = OutputUnits.conversion(
      "what the graph puts out", from: configuration.inputs[0].format.sampleRate,
      to: configuration.outputs[0].format.sampleRate, at: .streamFormat(.output, 0),
      help: "leave the output's format out, and it follows the input")
    guard configuration.inputs[0].isUsed else { return [] }
    return OutputUnits.channelMapViolations(configuration) + [conversion].compactMap(\.self)
  }

  public static func memory(in configuration: UnitConfiguration) -> Int {
    guard configuration.inputs[0].isUsed else { return 0 }
    return OutputUnits.memoryOfConversion(
      from: configuration.inputs[0].format, to: configuration.outputs[0].format)
  }

  public static func derivedValue(
    of place: PropertyPlace, in configuration: () -> UnitConfiguration, controls: ControlLayout
  ) -> PropertyValue? { OutputUnits.derivedValue(of: place, in: configuration) }

  public static func makeKernels(
    _ configuration: UnitConfiguration, controls: ControlLayout
  ) -> UnitKernels { UnitKernels() }
}
