import Synchronization

/// What lasts as long as the process: to take a patch of ten thousand nodes apart, just before it ends,
/// takes longer than to check it.
enum LastingValues {
  private static let values = Mutex<[any Sendable]>([])

  static func keep(_ kept: any Sendable...) { values.withLock { $0 += kept } }
}
