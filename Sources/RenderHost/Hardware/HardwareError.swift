/// Why a device could not be opened or kept running.
public struct HardwareError: Error, Hashable, Sendable {
  /// What has failed.
  public enum Code: Sendable {
    /// No server answered.
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
    /// The request makes no sense, whatever there is.
    case invalidRequest
    /// Whoever asked for the device no longer waits for it.
    case cancelled
    /// The system refused something else.
    case systemError
  }

  /// What has failed.
  public var code: Code
  /// A sentence that starts in lower case: what happened.
  public var message: String
  /// What to do about it.
  public var help: String

  public init(_ code: Code, _ message: String, help: String = "") {
    self.code = code
    self.message = message
    self.help = help
  }
}
