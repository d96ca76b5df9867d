import AudioTypes
import PatchSyntax
import RenderHost

/// The buffers of a sound server, as far as it tells them.
enum DoctorBuffers {
  // MARK: Devices

  /// What the properties of a device say of its own buffer; `nil` where they say nothing.
  static func finding(of device: AudioDevice) -> DoctorFinding? {
    let words = inBytes(device) + quanta(device)
    guard !words.isEmpty else { return nil }
    return .init(
      topic: "\(device.direction.rawValue) buffer", state: .note,
      found: words.joined(separator: ", "))
  }

  /// PulseAudio's properties, in bytes.
  private static func inBytes(_ device: AudioDevice) -> [String] {
    [("buffer_size", "the device buffer has"), ("fragment_size", "a fragment of it has")]
      .compactMap { key, words in
        guard let bytes = device.properties["device.buffering.\(key)"].flatMap({ Int($0) }) else {
          return nil
        }
        guard let format = device.streamFormat, format.bytesPerFrame > 0, format.sampleRate > 0
        else { return "\(words) \(counted(bytes, "byte"))" }
        let frames = bytes / Int(format.bytesPerFrame)
        return "\(words) \(framesText(frames, at: format.sampleRate))"
      }
  }

  /// PipeWire's properties of a node, in its own words: the quantum is the frames of one cycle.
  private static func quanta(_ device: AudioDevice) -> [String] {
    [
      "node.force-quantum", "node.latency", "node.max-latency", "clock.quantum-limit",
      "api.alsa.period-size", "api.alsa.period-num", "api.alsa.headroom",
    ].compactMap { key in device.properties[key].map { "\(key) is \($0)" } }
  }

  // MARK: Streams

  /// The buffer that the server keeps of what is played; `nil` where it is not known.
  static func finding(playback grant: HardwareGrant) -> DoctorFinding? {
    guard let buffer = grant.outputBuffer, let rate = grant.outputFormat?.sampleRate, rate > 0
    else { return nil }
    return .init(
      topic: "playback buffer", state: .note,
      found: "the server keeps \(framesText(buffer.frames, at: rate)) and asks for "
        + "\(framesText(buffer.requestFrames, at: rate)) at a time"
        + latencyText("sink", buffer.deviceLatency))
  }

  /// The buffer in which the server collects what is recorded; `nil` where it is not known.
  static func finding(capture grant: HardwareGrant) -> DoctorFinding? {
    guard let buffer = grant.inputBuffer, let rate = grant.inputFormat?.sampleRate, rate > 0
    else { return nil }
    return .init(
      topic: "capture buffer", state: .note,
      found: "the server hands over \(framesText(buffer.requestFrames, at: rate)) at a time"
        + latencyText("source", buffer.deviceLatency))
  }

  /// The buffers for `--json`.
  static func measured(playback grant: HardwareGrant) -> [JSONText.Member] {
    guard let buffer = grant.outputBuffer else { return [] }
    return [
      .init("playbackBufferFrames", .number(buffer.frames)),
      .init("playbackRequestFrames", .number(buffer.requestFrames)),
      .init("sinkLatency", .number(buffer.deviceLatency)),
    ]
  }

  /// The buffers for `--json`.
  static func measured(capture grant: HardwareGrant) -> [JSONText.Member] {
    guard let buffer = grant.inputBuffer else { return [] }
    return [
      .init("captureFragmentFrames", .number(buffer.requestFrames)),
      .init("sourceLatency", .number(buffer.deviceLatency)),
    ]
  }

  private static func latencyText(_ device: String, _ latency: Double) -> String {
    latency > 0 ? "; the \(device) is set to a latency of \(fixed(latency * 1000, 1)) ms" : ""
  }

  private static func framesText(_ frames: Int, at rate: Double) -> String {
    "\(counted(frames, "frame")) (\(fixed(Double(frames) / rate * 1000, 1)) ms)"
  }
}
