public import AudioTypes
import Synchronization

/// The status of the last failed render of a unit, until it is taken.
public final class RenderFailure: Sendable {
  private let status = Atomic<Int32>(0)

  public init() {}

  /// Notes a failure. Render thread.
  @_noLocks
  func note(_ status: Status) { self.status.store(status.rawValue, ordering: .relaxed) }

  /// The status of the last failure, which is forgotten; `ok` for none. Any thread.
  public func take() -> Status { Status(rawValue: status.exchange(0, ordering: .relaxed)) }
}
