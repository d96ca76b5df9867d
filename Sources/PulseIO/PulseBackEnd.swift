import CPulse
public import RenderHost

/// The sinks and sources of a PulseAudio server, or of PipeWire's PulseAudio server.
public struct PulseBackEnd: AudioBackEnd {
  /// The server's address; `nil` for libpulse's default (`PULSE_SERVER`, client.conf).
  public var address: String?
  /// The program's name for the server, for requests without a stream.
  public var applicationName: String

  public init(address: String? = nil, applicationName: String = "patchrun") {
    self.address = address
    self.applicationName = applicationName
  }

  public var name: String { "pulse" }
  public var summary: String { "The sinks and sources of a PulseAudio server, or of PipeWire's." }

  /// All sinks, then all sources, in the server's order. Blocks for at most 5 s for each answer.
  ///
  /// - Throws: `connectionRefused` where the server does not answer.
  public func devices() throws(HardwareError) -> [AudioDevice] {
    try PulseConnection(server: address, applicationName: applicationName).devices()
  }

  public func namedByEnvironment(_ direction: AudioDevice.Direction) -> String? {
    environment(direction == .sink ? "PULSE_SINK" : "PULSE_SOURCE")
  }

  /// Opens streams on the server at the request's address, or else at the back end's. Each answer
  /// of the server may take the request's `timeout`.
  public func open(
    _ request: HardwareRequest, isAwaited: (_ whom: String) -> Bool
  ) throws(HardwareError) -> any LiveHardware {
    var request = request
    if request.server == nil { request.server = address }
    return try PulseHardware.open(request, isAwaited: isAwaited)
  }

  /// Asks the server. Blocks for at most 5 s for each answer.
  ///
  /// - Throws: `connectionRefused` where the server does not answer.
  public func server() throws(HardwareError) -> SoundServer? {
    let connection = try PulseConnection(server: address, applicationName: applicationName)
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
    return SoundServer(
      name: answer.name, version: answer.version, sampleRate: answer.sampleRate,
      sampleFormat: answer.sampleFormat, channelCount: answer.channelCount,
      devices: try connection.devices())
  }

  private final class Answer {
    var name = ""
    var version = ""
    var sampleRate = 0.0
    var sampleFormat = ""
    var channelCount = 0
  }
}
