import NIOCore
import Synchronization

/// Runs closures on event loops until it is shut. Later ones are dropped, because an event loop
/// that has ended accepts none.
final class LoopGate: Sendable {
  private let isOpen = Mutex(true)

  func execute(on loop: any EventLoop, _ body: @escaping @Sendable () -> Void) {
    isOpen.withLock { isOpen in
      if isOpen { loop.execute(body) }
    }
  }

  func shut() { isOpen.withLock { $0 = false } }
}
