public import AudioTypes
import RenderCore

/// Copies one input to any number of outputs.
public enum MultiSplitter: AudioUnit {
  public static let description = UnitDescription(
    component: ComponentDescription(type: .mixerType, subtype: "mspl", manufacturer: .apple),
    name: "MultiSplitter",
    constant: "kAudioUnitSubType_MultiSplitter",
    aliases: ["AUMultiSplitter"],
    summary: "Gives what it is fed to any number of outputs, which are the same to the bit.",
    inputs: .init(count: 1),
    outputs: .init(count: 2, settable: 1...1024),
    properties: [SplitFormats.channelCounts],
    formatNotes: SplitFormats.notes + [
      "outputCount: 2 until it is set (ours; Core Audio documents no number)"
    ])

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
