public import AudioTypes
public import RenderCore

/// The Generic Output of a sub-graph: it passes the sub-graph's output on to the graph around it,
/// converted to the format of its output element as for a client of a Generic Output.
///
/// Not in the catalogue: `AudioGraph.addSubgraphOutput` makes it.
public enum SubgraphOutput: AudioUnit {
  public static let description: UnitDescription = {
    var description = GenericOutput.description
    description.isSubgraphOutput = true
    description.sizesItsOwnSlices = true
    return description
  }()

  public static func initialFormat(_ scope: Scope) -> StreamFormat {
    GenericOutput.initialFormat(scope)
  }

  public static func violations(in configuration: UnitConfiguration) -> [Violation] {
    let step = settings(configuration).stepViolation(
      "a sub-graph's output", at: .streamFormat(.output, 0), from: .streamFormat(.input, 0),
      help: "leave the output's format out, and it follows the input")
    return step.map { [$0] } ?? GenericOutput.violations(in: configuration)
  }

  public static func memory(in configuration: UnitConfiguration) -> Int {
    settings(configuration).memory(channelCount: configuration.inputs[0].format.channelCount)
  }

  public static func derivedValue(
    of place: PropertyPlace, in configuration: () -> UnitConfiguration, controls: ControlLayout
  ) -> PropertyValue? { OutputUnits.derivedValue(of: place, in: configuration) }

  public static func pulledInputs(in configuration: UnitConfiguration) -> [Int: PullDemand] {
    settings(configuration).demand.map { [0: $0] } ?? [:]
  }

  public static func makeKernels(
    _ configuration: UnitConfiguration, controls: ControlLayout
  ) -> UnitKernels {
    UnitKernels(
      main: settings(configuration).makeKernel(
        from: configuration.inputs[0].format, to: configuration.outputs[0].format,
        configuration.dither(.output, 0), route: OutputUnits.playedChannels(in: configuration)),
      mainUsesBusWords: true)
  }

  private static func settings(_ configuration: UnitConfiguration) -> ConverterSettings {
    ConverterSettings(
      from: configuration.inputs[0].format.sampleRate,
      to: configuration.outputs[0].format.sampleRate, quality: DeviceConversion.quality,
      startsAtZero: configuration.properties[
        PropertyPlace(.startTimestampsAtZero, .global, 0)] != .uint32(0))
  }
}
