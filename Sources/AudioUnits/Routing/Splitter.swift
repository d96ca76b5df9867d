public import AudioTypes
import RenderCore

/// Copies one input to two outputs.
public enum Splitter: SplitUnit {
  public static let description = UnitDescription(
    component: ComponentDescription(
      type: .formatConverterType, subtype: "splt", manufacturer: .apple),
    name: "Splitter",
    constant: "kAudioUnitSubType_Splitter",
    aliases: ["AUSplitter"],
    summary: "Gives what it is fed to two outputs, which are the same to the bit.",
    outputs: .init(count: 2),
    properties: [SplitFormats.channelCounts],
    formatNotes: SplitFormats.notes)
}

/// A unit whose outputs are the same as its one input.
public protocol SplitUnit: AudioUnit {}

extension SplitUnit {
  public static func outputFormat(
    _ element: Int, following inputs: [UnitConfiguration.Element]
  ) -> StreamFormat? { SplitFormats.output(following: inputs) }

  public static func violations(in configuration: UnitConfiguration) -> [Violation] {
    SplitFormats.violations(in: configuration, of: description)
  }

  public static func makeKernels(
    _ configuration: UnitConfiguration, controls: ControlLayout
  ) -> UnitKernels { UnitKernels(main: .holding(SplitterKernel()), mainUsesBusWords: true) }
}

/// The formats of splitters.
enum SplitFormats {
  static let channelCounts = PropertyInfo.channelCounts(
    [(-1, -1)], "any, the same on the input and each output.", proposed: "that it is there")

  static let notes = [
    "input: any number of channels of any sample type",
    "outputs: the format of the input; there is nothing to set",
  ]

  static func output(following inputs: [UnitConfiguration.Element]) -> StreamFormat? {
    inputs[0].format
  }

  /// Violations of outputs that have been given another format than the input's.
  static func violations(
    in configuration: UnitConfiguration, of description: UnitDescription
  ) -> [Violation] {
    let input = configuration.inputs[0]
    guard input.isUsed else { return [] }
    return configuration.outputs.enumerated().compactMap { element, output in
      guard output.format != input.format else { return nil }
      return Violation(
        UnitRules.followingFormats, status: .formatNotSupported,
        "each output of a \(description.name) has the format of its input, \(input.format.summary), "
          + "and output \(element) is given \(output.format.summary)",
        at: .init(node: nil, .streamFormat(.output, element)),
        notes: [.init("the input's format", at: .init(node: nil, .streamFormat(.input, 0)))],
        help: ["leave the output's format out: it follows the input"],
        remedies: [Remedy("leave the output's format out", [.removeFormat(.output, element)])])
    }
  }
}
