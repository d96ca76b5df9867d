public import AudioTypes

extension UnitRules {
  /// The fields of a stream format agree with each other.
  public static let formatConsistent = Rule(
    "PR0401", "format/consistent",
    "the fields of a stream format agree with each other",
    statuses: [.formatNotSupported],
    silencedBy: [.unreadNode, .format],
    page: .init(
      "The fields of an AudioStreamBasicDescription agree with each other: bytes are channels times "
        + "sample size, packets have one frame, the fraction bits fit into the sample.",
      because: """
        Core Audio takes the fields as they are. A known trap is kAudioFormatFlagsAudioUnitCanonical, 8.24
        in 32 bits, together with 16 bits and frames of 2 bytes: Remote I/O was seen to refuse it. The short
        form cannot contradict itself.
        """,
      example: .patch(
        ExamplePatches.described, wrong: ["\"mBytesPerFrame\": 4": "\"mBytesPerFrame\": 2"])))
}
