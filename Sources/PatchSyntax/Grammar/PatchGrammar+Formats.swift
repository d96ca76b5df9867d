/// Stream formats, in their two forms.
extension PatchGrammar {
  package static let shortFormat = ObjectGrammar<PatchDocument.ShortFormat>(
    "a stream format", "A stream format by sample type, channels and rate.",
    [
      .words("sample", required: true, "What one sample is.", .sampleTypes) { $0.sample = $1 },
      .member(
        "channels", required: true, "How many channels: 1 is mono, 2 is stereo.",
        .schema(["type": "integer", "minimum": 1, "maximum": 1024])
      ) { $2.channels = $0.count($1, "'channels'", from: 1) },
      .member("sampleRate", required: true, .definition("rate")) {
        $2.sampleRate = $0.sampleRate($1, "'sampleRate'")
      },
      .boolean(
        "interleaved", "Whether the channels share one buffer, frame by frame.", default: false
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
      .uint32("mBytesPerPacket", "Bytes in a packet: for linear PCM, those of a frame.") {
        $0.bytesPerPacket = $1
      },
      .uint32("mFramesPerPacket", "Frames in a packet: 1 for linear PCM.") {
        $0.framesPerPacket = $1
      },
      .uint32(
        "mBytesPerFrame",
        "Bytes of a frame in one buffer: of one channel where each has its own."
      ) { $0.bytesPerFrame = $1 },
      .uint32("mChannelsPerFrame", "How many channels.") { $0.channelsPerFrame = $1 },
      .uint32("mBitsPerChannel", "Bits of one sample.") { $0.bitsPerChannel = $1 },
      .member("mReserved", "0: it pads the structure.", .schema(["const": 0])) {
        $2.reserved = $0.count($1, "'mReserved'")
      },
    ])
}
