import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Lets clients in.
struct ControlDoor: Sendable {
  let routes: Routes
  let hub: EventHub
  let limits: ControlLimits
  let connections: OpenConnections

  func open(
    _ socket: ControlSocket, _ group: MultiThreadedEventLoopGroup
  ) throws(ControlError) -> any Channel {
    do {
      return try bootstrap(group) { _ in (RequestGuard(port: nil), nil) }
        .withBoundSocket(socket.descriptor).wait()
    } catch {
      throw ControlError("the control socket '\(socket.path)' cannot be used: \(reason(error))")
    }
  }

  /// Listens to a port of both loopback addresses, where there are both.
  func open(
    port: Int, _ group: MultiThreadedEventLoopGroup
  ) throws(ControlError) -> [any Channel] {
    var attempts = 0
    while true {
      let first: any Channel
      do throws(BindError) { first = try bind("127.0.0.1", port, group) } catch {
        throw error.error
      }
      do throws(BindError) {
        return [first, try bind("::1", first.localAddress?.port ?? port, group)]
      } catch {
        if error.isAbsent { return [first] }
        try? first.close().wait()
        // One that is free on the one address need not be on the other: then another one is.
        attempts += 1
        guard port == 0, error.isTaken, attempts < 16 else { throw error.error }
      }
    }
  }

  private struct BindError: Error {
    var error: ControlError
    /// Whether the machine has no such address.
    var isAbsent: Bool
    /// Whether somebody else listens there.
    var isTaken: Bool
  }

  private func bind(
    _ address: String, _ port: Int, _ group: MultiThreadedEventLoopGroup
  ) throws(BindError) -> any Channel {
    do {
      return try bootstrap(group) { channel in
        (RequestGuard(port: channel.localAddress?.port ?? port), Self.exclusion(channel))
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

  /// Why a client on the loopback device is not answered: the connection is not this user's.
  private static func exclusion(_ channel: any Channel) -> Problem? {
    func end(_ address: SocketAddress?) -> PeerOwner.Endpoint? {
      guard let name = address?.ipAddress, let port = address?.port else { return nil }
      return PeerOwner.Endpoint(address: name, port: port)
    }
    if let peer = end(channel.remoteAddress), let local = end(channel.localAddress),
      let user = PeerOwner.user(of: peer, to: local), user == geteuid() || user == 0
    {
      return nil
    }
    return Problem(
      status: .forbidden, detail: "only the user who runs the patch is answered here")
  }

  private func bootstrap(
    _ group: MultiThreadedEventLoopGroup,
    _ admit: @escaping @Sendable (any Channel) -> (RequestGuard, Problem?)
  ) -> ServerBootstrap {
    ServerBootstrap(group: group)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          guard connections.add(channel) else { throw TooManyConnections() }
          let (keeper, exclusion) = admit(channel)
          try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withErrorHandling: false, withEncoderConfiguration: .init(),
            withDecoderLimitConfiguration: limits.decoder)
          try channel.pipeline.syncOperations.addHandler(
            ConnectionHandler(
              routes: routes, hub: hub, limits: limits, keeper: keeper, exclusion: exclusion))
        }
      }
      // A client that has said everything may still listen.
      .childChannelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
  }

  /// A client that is one too many finds its connection closed.
  private struct TooManyConnections: Error {}
}

/// The system's words for why something failed.
func reason(_ error: any Error) -> String {
  (error as? IOError).map { words($0.errnoCode) } ?? "\(error)"
}

/// The connections that are open.
final class OpenConnections: Sendable {
  private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])
  private let tally: ControlTally
  private let limit: Int

  init(tally: ControlTally, limit: Int) {
    self.tally = tally
    self.limit = limit
  }

  /// Counts a connection, until it closes; returns whether there is room for it.
  func add(_ channel: any Channel) -> Bool {
    let key = ObjectIdentifier(channel)
    let isAdded = channels.withLock { channels in
      guard channels.count < limit else { return false }
      channels[key] = channel
      return true
    }
    guard isAdded else { return false }
    tally.count(\.connections)
    channel.closeFuture.whenComplete { _ in
      self.channels.withLock { $0[key] = nil }
      self.tally.count(\.connections, by: -1)
    }
    return true
  }

  /// Has every connection finish what it answers, and closes those that do not within a time.
  func closeAll(within time: TimeAmount, on loop: any EventLoop) {
    let open = channels.withLock { Array($0.values) }
    for channel in open {
      channel.pipeline.fireUserInboundEventTriggered(ConnectionHandler.Closing())
    }
    let timer = loop.scheduleTask(in: time) {
      for channel in open { channel.close(promise: nil) }
    }
    for channel in open { try? channel.closeFuture.wait() }
    timer.cancel()
  }
}
