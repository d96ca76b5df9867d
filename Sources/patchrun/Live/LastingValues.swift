import Synchronization

/// Values that live as long as the process, because releasing a patch of ten thousand nodes takes
/// longer than checking it.
enum LastingValues {
  private static let values = Mutex<[any Sendable]>([])

  static func keep(_ kept: any Sendable...) { values.withLock { $0 += kept } }
}
