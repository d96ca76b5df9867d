import RenderHost

/// The parsed options of a request.
struct PipeSettings: Sendable {
  enum Pace: String, CaseIterable, Sendable {
    /// As fast as the reader takes frames, or the writer gives them.
    case reader
    /// By the clock, at the sample rate.
    case realtime
  }

  var sinkFormat = PipeFormat.standard
  var sourceFormat: PipeFormat?
  /// `nil` for the default of the ends.
  var pace: Pace?
  var endsWithSource = false

  init(_ request: HardwareRequest) throws(HardwareError) {
    for (key, value) in request.options.sorted(by: { $0.key < $1.key }) {
      switch key {
      case "to-format": sinkFormat = try PipeFormat(value)
      case "from-format": sourceFormat = try PipeFormat(value)
      case "pace":
        guard let pace = Pace(rawValue: value) else {
          throw HardwareError(
            .invalidRequest, "there is no pace '\(value)'", help: "it is reader or realtime")
        }
        self.pace = pace
      case "end-with-input": endsWithSource = value == "true"
      default: throw HardwareError(.invalidRequest, "pipes have no option '\(key)'")
      }
    }
    if let format = sourceFormat, !format.isWave, format.sampleRate == nil {
      throw HardwareError(
        .invalidRequest, "what is read needs its rate, too",
        help: "write TYPE:RATE or TYPE:RATE:CHANNELS: s16le:48000:2")
    }
  }
}
