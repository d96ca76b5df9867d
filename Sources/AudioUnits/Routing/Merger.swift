public import AudioTypes
import RenderCore

/// Puts the channels of two inputs side by side on one output.
///
/// How the original merges is not documented; a mixer adds signals up.
public enum Merger: AudioUnit {
  public static let description = UnitDescription(
    component: ComponentDescription(
      type: .formatConverterType, subtype: "merg", manufacturer: .apple),
    name: "Merger",
    constant: "kAudioUnitSubType_Merger",
    aliases: ["AUMerger"],
    summary: "Puts the channels of two inputs side by side, those of input 0 first.",
    inputs: .init(count: 2),
    properties: [
      .channelCounts(
        [(-1, -2)], "any; the output has those of both inputs.",
        proposed: "that channels are put side by side and not added up")
    ],
    formatNotes: [
      "inputs: any number of channels; both of one sample type and rate",
      "output: the channels of both inputs; there is nothing to set",
      "how the original merges is not documented: that channels stand side by side is ours",
    ])

  public static func outputFormat(
    _ element: Int, following inputs: [UnitConfiguration.Element]
  ) -> StreamFormat? {
    let first = inputs[0].format
    return StreamFormat(
      first.sampleType ?? .float32,
      // More channels than a stream can have are refused below.
      channels: min(1024, inputs.reduce(0) { $0 + $1.format.channelCount }),
      sampleRate: first.sampleRate)
  }

  public static func violations(in configuration: UnitConfiguration) -> [Violation] {
    let inputs = configuration.inputs
    guard inputs.allSatisfy(\.isUsed) else { return [] }
    let (one, other) = (inputs[0].format, inputs[1].format)
    guard one.sampleRate == other.sampleRate, one.sampleType == other.sampleType else {
      return [
        Violation(
          UnitRules.followingFormats, status: .formatNotSupported,
          "a Merger converts nothing: its inputs have \(one.summary) and \(other.summary)",
          at: .init(node: nil, .streamFormat(.input, 1)),
          notes: [
            .init("the other input's format", at: .init(node: nil, .streamFormat(.input, 0)))
          ],
          help: ["put a FormatConverter ahead of one of them, or use one format throughout"],
          remedies: [
            Remedy(
              "put a FormatConverter ahead of input 1",
              [
                .insertConverter(
                  1,
                  StreamFormat(
                    one.sampleType ?? .float32, channels: other.channelCount,
                    sampleRate: one.sampleRate))
              ])
          ])
      ]
    }
    let wanted = one.channelCount + other.channelCount
    guard wanted <= 1024 else {
      return [
        Violation(
          UnitRules.followingFormats, status: .formatNotSupported,
          "a stream has up to 1024 channels, and the inputs of this Merger have \(wanted) together",
          at: .init(node: nil, .streamFormat(.input, 1)),
          help: ["feed it fewer channels"])
      ]
    }
    let output = configuration.outputs[0]
    guard
      output.format.channelCount != wanted || output.format.sampleRate != one.sampleRate
        || output.format.sampleType != one.sampleType
    else { return [] }
    return [
      Violation(
        UnitRules.followingFormats, status: .formatNotSupported,
        "the output of this Merger has \(channels(wanted)), those of both inputs, and their type "
          + "and rate; it is given \(output.format.summary)",
        at: .init(node: nil, .streamFormat(.output, 0)),
        help: ["leave the output's format out: it follows the inputs"],
        remedies: [Remedy("leave the output's format out", [.removeFormat(.output, 0)])])
    ]
  }

  /// The level of the loudest input.
  public static func peak(
    of inputs: [Int: PeakLevel], in configuration: UnitConfiguration, controls: ControlLayout
  ) -> PeakLevel {
    inputs.values.max { $0.possible < $1.possible } ?? PeakLevel()
  }

  public static func makeKernels(
    _ configuration: UnitConfiguration, controls: ControlLayout
  ) -> UnitKernels { UnitKernels(main: .holding(MergerKernel()), mainUsesBusWords: true) }
}
