import AudioTypes

/// Stream formats, in their two forms.
extension PatchGrammar {
  package static let shortFormat = ObjectGrammar<PatchDocument.ShortFormat>(
    "a stream format", "A stream format by sample type, channels and rate.",
    [
      .setting(
        .init(
          "sample", .choice(of: SampleType.self), isRequired: true, summary: "What one sample is."),
        rule: PatchRules.sampleType
      ) { $0.sample = $1 },
      .setting(
        .init(
          "channels", .integer(1...1024), isRequired: true,
          summary: "How many channels: 1 is mono, 2 is stereo.")
      ) { $0.channels = $1 },
      .member("sampleRate", required: true, .definition("rate")) {
        $2.sampleRate = $0.sampleRate($1, "'sampleRate'")
      },
      .setting(
        .init(
          "interleaved", .boolean, defaultValue: .boolean(false),
          summary: "Whether the channels share one buffer, frame by frame.")
      ) { $0.interleaved = $1 },
    ])

  package static let formatDescription = ObjectGrammar<PatchDocument.FormatDescription>(
    "a stream format", "An AudioStreamBasicDescription, field by field.",
    [
      .member("mSampleRate", .definition("rate")) {
        $2.sampleRate = $0.sampleRate($1, "'mSampleRate'")
      },
      .member(
        "mFormatID", "\"lpcm\" for linear PCM: a four-character code, its name, or its number.",
        .schema([
          "anyOf": [
            ["enum": ["lpcm", "kAudioFormatLinearPCM"]],
            ["type": "string", "pattern": "^[ -~]{4}$"], ValuePatterns.uint32,
          ]
        ])
      ) { $2.formatID = $0.code($1, "'mFormatID'") },
      .member(
        "mFormatFlags", "The flags: their number, a name, or an array of names.", .schema([:])
      ) { reader, json, format in
        if [.number, .string, .array].contains(json.kind) {
          format.formatFlags = json
        } else {
          reader.reportType(json, "'mFormatFlags'", "a number or an array of names")
        }
      },
      field("mBytesPerPacket", "Bytes in a packet: for linear PCM, those of a frame.") {
        $0.bytesPerPacket = $1
      },
      field("mFramesPerPacket", "Frames in a packet: 1 for linear PCM.") {
        $0.framesPerPacket = $1
      },
      field(
        "mBytesPerFrame",
        "Bytes of a frame in one buffer: of one channel where each has its own."
      ) { $0.bytesPerFrame = $1 },
      field("mChannelsPerFrame", "How many channels.") { $0.channelsPerFrame = $1 },
      field("mBitsPerChannel", "Bits of one sample.") { $0.bitsPerChannel = $1 },
      .member("mReserved", "0: it pads the structure.", .schema(["const": 0])) {
        $2.reserved = $0.count($1, "'mReserved'")
      },
    ])

  /// A field that is a `UInt32`.
  private static func field(
    _ key: String, _ summary: String,
    _ set: @escaping @Sendable (inout PatchDocument.FormatDescription, Located<Int>) -> Void
  ) -> MemberGrammar<PatchDocument.FormatDescription> {
    .setting(.init(key, .integer(0...Int(UInt32.max)), summary: summary), set)
  }
}
