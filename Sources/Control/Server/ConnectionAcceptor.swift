import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import Panel

/// Accepts connections to the UNIX socket and to the TCP port, and refuses those over the limit and
/// those of other users.
struct ConnectionAcceptor: Sendable {
  let routes: Routes
  let hub: EventHub
  let limits: ControlLimits
  let budgets: ControlBudgets
  let connections: OpenConnections

  func open(
    _ socket: ControlSocket, _ loop: any EventLoop
  ) throws(ControlError) -> any Channel {
    do {
      return try bootstrap(.socket, loop) { _ in RequestGuard(port: nil) }
        .withBoundSocket(socket.descriptor).wait()
    } catch {
      throw ControlError("the control socket '\(socket.path)' cannot be used: \(reason(error))")
    }
  }

  /// Listens to a port on both loopback addresses, or on the one that the machine has.
  func open(
    port: Int, _ loop: any EventLoop
  ) throws(ControlError) -> [any Channel] {
    // In advance: preparing the files takes longer than all answers to the first browser.
    if routes.hasPanel { Task(executorPreference: routes.executor) { PanelFile.prepare() } }
    var attempts = 0
    while true {
      let first: any Channel
      do throws(BindError) { first = try bind("127.0.0.1", port, loop) } catch {
        throw error.error
      }
      do throws(BindError) {
        return [first, try bind("::1", first.localAddress?.port ?? port, loop)]
      } catch {
        if error.isAbsent { return [first] }
        try? first.close().wait()
        // A port that is free on one address may be taken on the other: try another one.
        attempts += 1
        guard port == 0, error.isTaken, attempts < 16 else { throw error.error }
      }
    }
  }

  private struct BindError: Error {
    var error: ControlError
    /// Whether the machine lacks this address.
    var isAbsent: Bool
    /// Whether the port is taken.
    var isTaken: Bool
  }

  private func bind(
    _ address: String, _ port: Int, _ loop: any EventLoop
  ) throws(BindError) -> any Channel {
    do {
      return try bootstrap(.port, loop) { channel in
        RequestGuard(port: channel.localAddress?.port ?? port)
      }
      .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
      .bind(host: address, port: port).wait()
    } catch {
      let number = (error as? IOError)?.errnoCode
      throw BindError(
        error: ControlError(
          "port \(port) of \(address) cannot be listened to: \(reason(error))",
          help: ["--control-port 0 takes one that is free"]),
        isAbsent: number == EADDRNOTAVAIL || number == EAFNOSUPPORT,
        isTaken: number == EADDRINUSE)
    }
  }

  /// Whether a loopback connection belongs to the user who runs the patch, or to root; `false` if
  /// unknown.
  private static func isOwn(_ channel: any Channel) -> Bool {
    func end(_ address: SocketAddress?) -> PeerOwner.Endpoint? {
      guard let name = address?.ipAddress, let port = address?.port else { return nil }
      return PeerOwner.Endpoint(address: name, port: port)
    }
    guard let peer = end(channel.remoteAddress), let local = end(channel.localAddress),
      let user = PeerOwner.user(of: peer, to: local)
    else { return false }
    return user == geteuid() || user == 0
  }

  private func bootstrap(
    _ entrance: ControlEntrance, _ loop: any EventLoop,
    _ requestGuard: @escaping @Sendable (any Channel) -> RequestGuard
  ) -> ServerBootstrap {
    ServerBootstrap(group: loop)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if entrance == .port, !Self.isOwn(channel) {
            routes.tally.count(\.strangers)
            return try refuse(channel, .stranger)
          }
          guard connections.add(channel, at: entrance) else {
            routes.tally.count(\.turnedAway)
            return try refuse(channel, .full(limits))
          }
          let handler = ConnectionHandler(
            routes: routes, hub: hub, limits: limits, budgets: budgets,
            requestGuard: requestGuard(channel))
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(EndOfInput(for: handler))
          try pipeline.configureHTTPServerPipeline(
            withErrorHandling: false, withEncoderConfiguration: .init(),
            withDecoderLimitConfiguration: limits.decoder)
          try pipeline.addHandler(handler)
        }
      }
      // A client may close its sending side and still read.
      .childChannelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
      // Limits how much is read ahead of pipelined requests.
      .childChannelOption(ChannelOptions.maxMessagesPerRead, value: 1)
      .childChannelOption(
        ChannelOptions.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 16_384))
  }

  private func refuse(_ channel: any Channel, _ response: ControlResponse) throws {
    let isKept = connections.keepRefused(channel)
    try channel.pipeline.syncOperations.addHandler(
      RefusalHandler(response, linger: isKept ? limits.lingerTime : nil))
  }
}

extension ControlResponse {
  fileprivate static var stranger: ControlResponse {
    .problem(.forbidden, "only the user who runs the patch is answered here")
  }

  fileprivate static func full(_ limits: ControlLimits) -> ControlResponse {
    .problem(
      .serviceUnavailable,
      "\(limits.connections) clients are connected, and there is no room for more",
      help: ["close one, or try again in a moment"],
      headers: [("Retry-After", "\(limits.retryAfter)")])
  }
}

/// The system's message of an error.
func reason(_ error: any Error) -> String {
  (error as? IOError).map { errnoMessage($0.errnoCode) } ?? "\(error)"
}
