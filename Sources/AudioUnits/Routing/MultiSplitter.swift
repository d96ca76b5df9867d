public import AudioTypes

/// Copies one input to any number of outputs.
public enum MultiSplitter: SplitUnit {
  public static let description = UnitDescription(
    component: ComponentDescription(type: .mixerType, subtype: "mspl", manufacturer: .apple),
    name: "MultiSplitter",
    constant: "kAudioUnitSubType_MultiSplitter",
    aliases: ["AUMultiSplitter"],
    summary: "Gives what it is fed to any number of outputs, which are the same to the bit.",
    outputs: .init(count: 2, settable: 1...1024),
    properties: [SplitFormats.channelCounts],
    formatNotes: SplitFormats.notes + [
      "outputCount: 2 until it is set (ours; Core Audio documents no number)"
    ])
}
