/// A way to play and record: a sound server, or pipes. Each back end has one line in
/// `BackEndCatalog`.
///
/// All back ends take the same requests and report the same events, so that the code that runs a
/// graph names none of them. Used from the control thread.
public protocol AudioBackEnd: Sendable {
  /// Its name: a word in lower case.
  var name: String { get }
  /// A sentence that describes it.
  var summary: String { get }

  /// The devices that can be opened: all sinks, then all sources.
  ///
  /// - Throws: `connectionRefused` where the server does not answer.
  func devices() throws(HardwareError) -> [AudioDevice]

  /// The device that the environment names, used where a request names none; `nil` for none.
  func namedByEnvironment(_ direction: AudioDevice.Direction) -> String?

  /// What the server reports about itself; `nil` for a back end without a server.
  ///
  /// - Throws: `connectionRefused` where the server does not answer.
  func server() throws(HardwareError) -> SoundServer?

  /// Checks a request without opening anything.
  ///
  /// - Throws: `invalidRequest` for a request that makes no sense.
  func check(_ request: HardwareRequest) throws(HardwareError)

  /// Opens a device. It pulls nothing yet.
  ///
  /// - Parameters:
  ///   - request: The preferences; the `grant` of the hardware is the answer.
  ///   - isAwaited: Called repeatedly, at most some 200 times per second, while the back end waits
  ///     for its other end, for instance a program that opens the pipe. `whom` describes that end:
  ///     "somebody to read '/tmp/pipe'". Return false to stop waiting.
  /// - Throws: `invalidRequest` for a request that makes no sense; `noSuchDevice` or `noDevice`
  ///   where there is nothing to play or to record on; `formatNotSupported` for channels or a rate
  ///   that no device can have; `cancelled` where `isAwaited` returned false.
  func open(
    _ request: HardwareRequest, isAwaited: (_ whom: String) -> Bool
  ) throws(HardwareError) -> any LiveHardware
}

extension AudioBackEnd {
  public func namedByEnvironment(_ direction: AudioDevice.Direction) -> String? { nil }
  public func server() throws(HardwareError) -> SoundServer? { nil }
  public func check(_ request: HardwareRequest) throws(HardwareError) {}

  /// Opens a device, and waits for the other end without a limit.
  ///
  /// - Throws: As `open(_:isAwaited:)`, except for `cancelled`.
  public func open(_ request: HardwareRequest) throws(HardwareError) -> any LiveHardware {
    try open(request) { _ in true }
  }
}

/// What a sound server reports about itself.
public struct SoundServer: Hashable, Sendable {
  /// Its name: `pulseaudio`, or `PulseAudio (on PipeWire 1.0.0)`.
  public var name: String
  /// Its version, as it reports it.
  public var version: String
  /// Its default sample rate, in Hz.
  public var sampleRate: Double
  /// Its default sample format, in its own words: `s16le`.
  public var sampleFormat: String
  /// Its default number of channels.
  public var channelCount: Int
  /// Its sinks and sources.
  public var devices: [AudioDevice]

  public init(
    name: String, version: String, sampleRate: Double, sampleFormat: String, channelCount: Int,
    devices: [AudioDevice]
  ) {
    self.name = name
    self.version = version
    self.sampleRate = sampleRate
    self.sampleFormat = sampleFormat
    self.channelCount = channelCount
    self.devices = devices
  }
}
