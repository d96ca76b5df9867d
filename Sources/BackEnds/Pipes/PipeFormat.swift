import AudioTypes
import RenderHost

/// The format of a pipe, as a user writes it: `s16le`, `s16le:48000`, `s16le:48000:2`, each also
/// with `wav:` before it, or `wav` alone.
struct PipeFormat: Hashable, Sendable {
  /// Whether a WAV header precedes the samples.
  var isWave: Bool
  var sampleType: SampleType
  /// In Hz; `nil` where it is not given.
  var sampleRate: Double?
  /// `nil` where it is not given.
  var channelCount: Int?

  /// The default format of the output, which `render -o -` writes too.
  static let standard = PipeFormat(isWave: true, sampleType: .float32)

  static let sampleTypes: [(name: String, type: SampleType)] = [
    ("s16le", .int16), ("s24le", .int24), ("s32le", .int32), ("f32le", .float32),
  ]
}

extension PipeFormat {
  /// - Throws: `invalidRequest` for a format that cannot be parsed.
  init(_ text: String) throws(HardwareError) {
    var parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)[...]
    isWave = parts.first == "wav"
    if isWave { parts = parts.dropFirst() }
    sampleType = .float32
    if let name = parts.popFirst() {
      guard let found = Self.sampleTypes.first(where: { $0.name == name }) else {
        throw Self.wrong(text, "there is no sample type '\(name)'")
      }
      sampleType = found.type
    }
    if let rate = parts.popFirst() {
      guard let value = Int(rate), (1000...768_000).contains(value) else {
        throw Self.wrong(text, "a rate is 1000 to 768000 Hz, not '\(rate)'")
      }
      sampleRate = Double(value)
    }
    if let count = parts.popFirst() {
      guard let value = Int(count), (1...32).contains(value) else {
        throw Self.wrong(text, "there are 1 to 32 channels, not '\(count)'")
      }
      channelCount = value
    }
    guard parts.isEmpty else { throw Self.wrong(text, "there is more in it than three things") }
  }

  private static func wrong(_ text: String, _ why: String) -> HardwareError {
    HardwareError(
      .invalidRequest, "'\(text)' is no format of a pipe: \(why)",
      help: "write TYPE, TYPE:RATE or TYPE:RATE:CHANNELS, where TYPE is "
        + sampleTypes.map(\.name).joined(separator: ", ")
        + ": s16le:48000:2; 'wav:' in front puts the head of a WAV file there")
  }
}
