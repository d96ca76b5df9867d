/// Why a device could not be opened or kept running.
public struct HardwareError: Error, Hashable, Sendable {
  /// The kind of failure.
  public enum Code: Sendable {
    /// The server did not answer.
    case connectionRefused
    /// There is no sink or source of that name.
    case noSuchDevice
    /// The server has no sink or no source at all.
    case noDevice
    /// The device cannot play or record in the stream format asked for.
    case formatNotSupported
    /// The server went away while the graph was running.
    case connectionLost
    /// The sink or the source went away while the graph was running.
    case deviceLost
    /// The request makes no sense on any device.
    case invalidRequest
    /// The caller stopped waiting for the device.
    case cancelled
    /// Any other refusal of the system.
    case systemError
  }

  /// The kind of failure.
  public var code: Code
  /// What happened: a sentence that starts in lower case.
  public var message: String
  /// What the user can do about it; may be empty.
  public var help: String

  public init(_ code: Code, _ message: String, help: String = "") {
    self.code = code
    self.message = message
    self.help = help
  }
}
