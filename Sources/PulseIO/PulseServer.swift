import CPulse
public import RenderHost

/// What a PulseAudio server says about itself.
public struct PulseServer: Hashable, Sendable {
  /// What it calls itself: `pulseaudio`, or `PulseAudio (on PipeWire 1.0.0)`.
  public var name: String
  public var version: String
  /// What it takes for sinks and sources that say nothing: in Hz, and in PulseAudio's words.
  public var sampleRate: Double
  public var sampleFormat: String
  public var channelCount: Int
  public var devices: [PulseDevice]

  /// Asks a server. Blocks for 5 s at the most.
  ///
  /// - Parameter server: An address; `nil` leaves it to libpulse (`PULSE_SERVER`, client.conf).
  /// - Throws: `connectionRefused` where no server answers.
  public init(server: String? = nil) throws(HardwareError) {
    let connection = try PulseConnection(server: server, applicationName: "patchrun")
    let answer = Answer()
    let isComplete = unsafe connection.finish(
      pa_context_get_server_info(
        connection.context,
        { _, info, user in
          guard let info = unsafe info?.pointee, let user = unsafe user else { return }
          let answer = unsafe Unmanaged<Answer>.fromOpaque(user).takeUnretainedValue()
          unsafe answer.name = text(info.server_name)
          unsafe answer.version = text(info.server_version)
          unsafe answer.sampleRate = Double(info.sample_spec.rate)
          unsafe answer.channelCount = Int(info.sample_spec.channels)
          unsafe answer.sampleFormat = text(pa_sample_format_to_string(info.sample_spec.format))
        }, Unmanaged.passUnretained(answer).toOpaque()))
    guard isComplete else {
      throw HardwareError(.systemError, "the sound server says nothing about itself")
    }
    name = answer.name
    version = answer.version
    sampleRate = answer.sampleRate
    sampleFormat = answer.sampleFormat
    channelCount = answer.channelCount
    devices = try connection.devices()
  }

  private final class Answer {
    var name = ""
    var version = ""
    var sampleRate = 0.0
    var sampleFormat = ""
    var channelCount = 0
  }

  public func device(_ direction: PulseDevice.Direction, _ name: String) -> PulseDevice? {
    devices.first { $0.direction == direction && $0.name == name }
  }
}
