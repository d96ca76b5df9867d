import NIOCore
import Synchronization

/// The way from other threads back to the event loops, which is shut before they end: what comes too
/// late is dropped. An event loop that has ended takes nothing more.
final class LoopGate: Sendable {
  private let isOpen = Mutex(true)

  func execute(on loop: any EventLoop, _ body: @escaping @Sendable () -> Void) {
    isOpen.withLock { isOpen in
      if isOpen { loop.execute(body) }
    }
  }

  func shut() { isOpen.withLock { $0 = false } }
}
