import Synchronization

/// Values that live as long as the process. To release a patch of ten thousand nodes at the end
/// would take longer than to check it.
enum LastingValues {
  private static let values = Mutex<[any Sendable]>([])

  static func keep(_ kept: any Sendable...) { values.withLock { $0 += kept } }
}
