import NIOCore
import Synchronization

/// The open connections. Any thread.
final class OpenConnections: Sendable {
  private struct State {
    var channels: [ObjectIdentifier: any Channel] = [:]
    var counts: [ControlEntrance: Int] = [:]
    /// Clients that are being refused.
    var refused: [ObjectIdentifier: any Channel] = [:]
  }

  private let state = Mutex(State())
  private let tally: ControlTally
  private let limits: ControlLimits

  init(tally: ControlTally, limits: ControlLimits) {
    self.tally = tally
    self.limits = limits
  }

  /// Adds a connection until it closes; returns whether there was room.
  func add(_ channel: any Channel, at entrance: ControlEntrance) -> Bool {
    let key = ObjectIdentifier(channel)
    let isAdded = state.withLock { state in
      guard state.counts[entrance, default: 0] < limits.connections else { return false }
      state.counts[entrance, default: 0] += 1
      state.channels[key] = channel
      return true
    }
    guard isAdded else { return false }
    tally.count(\.connections)
    channel.closeFuture.whenComplete { _ in
      self.state.withLock { state in
        state.channels[key] = nil
        state.counts[entrance, default: 0] -= 1
      }
      self.tally.count(\.connections, by: -1)
    }
    return true
  }

  /// Keeps a refused connection until it closes. Returns whether the client gets time to read the
  /// refusal.
  func keepRefused(_ channel: any Channel) -> Bool {
    let key = ObjectIdentifier(channel)
    let isKept = state.withLock { state in
      guard state.refused.count < limits.waitingRefusals else { return false }
      state.refused[key] = channel
      return true
    }
    if isKept {
      channel.closeFuture.whenComplete { _ in self.state.withLock { $0.refused[key] = nil } }
    }
    return isKept
  }

  /// Lets every connection finish its response, and closes those that take longer than `time`.
  func closeAll(within time: TimeAmount, on loop: any EventLoop) {
    let (open, refused) = state.withLock { (Array($0.channels.values), Array($0.refused.values)) }
    for channel in refused { channel.close(promise: nil) }
    for channel in open {
      channel.pipeline.fireUserInboundEventTriggered(ConnectionHandler.Closing())
    }
    let timer = loop.scheduleTask(in: time) {
      for channel in open { channel.close(promise: nil) }
    }
    for channel in open + refused { try? channel.closeFuture.wait() }
    timer.cancel()
  }
}
