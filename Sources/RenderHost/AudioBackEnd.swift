/// A way to sound and to hear: a sound server, pipes. One room of its own, and one line where the
/// program lists them.
///
/// Everything that is asked of a device, and everything that it says, has the same form for all of
/// them: who runs a graph names none. Used from the control thread.
public protocol AudioBackEnd: Sendable {
  /// What it is called: a word in lower case.
  var name: String { get }
  /// What it is, in a sentence.
  var summary: String { get }

  /// What can be opened: all sinks, then all sources.
  ///
  /// - Throws: `connectionRefused` where a server is asked and none answers.
  func devices() throws(HardwareError) -> [AudioDevice]

  /// What the environment names where a request names nothing; `nil` for nothing.
  func namedByEnvironment(_ direction: AudioDevice.Direction) -> String?

  /// What the server says about itself; `nil` where there is none to ask.
  ///
  /// - Throws: `connectionRefused` where none answers.
  func server() throws(HardwareError) -> SoundServer?

  /// Looks whether a request makes sense, without opening anything.
  ///
  /// - Throws: `invalidRequest` where it does not.
  func check(_ request: HardwareRequest) throws(HardwareError)

  /// Opens a device. Nothing is pulled yet.
  ///
  /// - Parameters:
  ///   - request: What is asked for; the answer is the hardware's `grant`.
  ///   - isAwaited: Asked some twenty times a second while a back end waits for somebody without whom
  ///     nothing can be opened, with whom it waits for: "somebody to read '/tmp/pipe'". Where it
  ///     returns false the waiting is over.
  /// - Throws: `invalidRequest` for a request that makes no sense; `noSuchDevice` or `noDevice` where
  ///   there is nothing to play or to record on; `formatNotSupported` for channels or a rate that no
  ///   device can have; `cancelled` where it is waited for no longer.
  func open(
    _ request: HardwareRequest, isAwaited: (_ whom: String) -> Bool
  ) throws(HardwareError) -> any LiveHardware
}

extension AudioBackEnd {
  public func namedByEnvironment(_ direction: AudioDevice.Direction) -> String? { nil }
  public func server() throws(HardwareError) -> SoundServer? { nil }
  public func check(_ request: HardwareRequest) throws(HardwareError) {}

  /// The same, waiting for as long as it takes.
  public func open(_ request: HardwareRequest) throws(HardwareError) -> any LiveHardware {
    try open(request) { _ in true }
  }
}

/// What a sound server says about itself.
public struct SoundServer: Hashable, Sendable {
  /// What it calls itself: `pulseaudio`, or `PulseAudio (on PipeWire 1.0.0)`.
  public var name: String
  /// What it says of its version.
  public var version: String
  /// The rate of sinks and sources that say nothing, in Hz.
  public var sampleRate: Double
  /// How their samples are written down, in the server's words.
  public var sampleFormat: String
  /// How many channels they have.
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
