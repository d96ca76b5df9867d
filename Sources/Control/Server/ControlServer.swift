import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Serves a running patch to `patchrun ctl`, HTTP clients and controllers: always on a UNIX socket,
/// optionally on TCP and for OSC.
///
/// It runs on its own threads. It never runs on the render thread and holds no lock that the render
/// thread needs.
public final class ControlServer: Sendable {
  public struct Options: Hashable, Sendable {
    /// The name of the socket: `NAME.sock`.
    public var name: String
    /// Whether the name must not be changed; otherwise a taken name gets a number.
    public var isNameExact: Bool
    /// The folder of the socket.
    public var folder: ControlFolder
    /// The port of 127.0.0.1 and [::1]; 0 for any free one, `nil` for none.
    public var port: Int?
    /// The address and port for OSC; `nil` for none.
    public var osc: OSCOptions?
    /// Whether the control panel is served.
    public var hasPanel: Bool
    /// The program's version, for `GET /` and the metrics.
    public var version: String

    public init(
      name: String, isNameExact: Bool, folder: ControlFolder = .standard, port: Int? = nil,
      osc: OSCOptions? = nil, hasPanel: Bool = false, version: String
    ) {
      self.name = name
      self.isNameExact = isNameExact
      self.folder = folder
      self.port = port
      self.osc = osc
      self.hasPanel = hasPanel
      self.version = version
    }
  }

  /// The address and port for OSC.
  public struct OSCOptions: Hashable, Sendable {
    /// The address to listen to. OSC has no authentication: any address but `127.0.0.1` admits the
    /// network.
    public var address: String
    /// The UDP port; 0 for any free one.
    public var port: Int

    public init(address: String = "127.0.0.1", port: Int) {
      self.address = address
      self.port = port
    }
  }

  /// The name of the socket.
  public let name: String
  public let socketPath: String
  /// The TCP port; `nil` for none.
  public let port: Int?
  /// The UDP port for OSC; `nil` for none.
  public let oscPort: Int?

  private let socket: ControlSocket
  private let executor: CallExecutor
  private let group: MultiThreadedEventLoopGroup
  private let listeners: [any Channel]
  private let connections: OpenConnections
  private let gate: LoopGate
  private let events: Task<Void, Never>
  private let eventsAreOver: EventLoopFuture<Void>

  /// Starts the server. The socket answers when this returns.
  ///
  /// - Throws: If the socket or a port cannot be opened.
  public static func start(
    _ options: Options, for patch: any ControlledPatch
  ) throws(ControlError) -> ControlServer {
    try start(options, for: patch, limits: ControlLimits())
  }

  static func start(
    _ options: Options, for patch: any ControlledPatch, limits: ControlLimits
  ) throws(ControlError) -> ControlServer {
    let socket = try ControlSocket.listen(
      options.name, isExact: options.isNameExact, in: options.folder)
    // The port and OSC have a thread of their own, so that they cannot delay the socket.
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
    let executor = CallExecutor()
    do throws(ControlError) {
      return try ControlServer(options, patch, limits, socket, executor, group)
    } catch {
      try? group.syncShutdownGracefully()
      executor.stop()
      socket.remove()
      throw error
    }
  }

  private init(
    _ options: Options, _ patch: any ControlledPatch, _ limits: ControlLimits,
    _ socket: ControlSocket, _ executor: CallExecutor, _ group: MultiThreadedEventLoopGroup
  ) throws(ControlError) {
    let tally = ControlTally()
    let hub = EventHub(limits)
    let gate = LoopGate()
    let routes = Routes(
      patch: patch, tally: tally, version: options.version, hasPanel: options.hasPanel,
      executor: executor, gate: gate)
    let connections = OpenConnections(tally: tally, limits: limits)
    let acceptor = ConnectionAcceptor(
      routes: routes, hub: hub, limits: limits, budgets: ControlBudgets(limits),
      connections: connections)
    var listeners: [any Channel] = []
    let (socketLoop, portLoop) = (group.next(), group.next())
    listeners.append(try acceptor.open(socket, socketLoop))
    var port: Int?
    if let wanted = options.port {
      let opened = try acceptor.open(port: wanted, portLoop)
      listeners += opened
      port = opened.first?.localAddress?.port
    }
    var oscPort: Int?
    if let osc = options.osc {
      let channel = try OSCReceiver.open(osc, routes, limits, portLoop)
      listeners.append(channel)
      oscPort = channel.localAddress?.port
    }
    name = socket.name
    socketPath = socket.path
    self.port = port
    self.oscPort = oscPort
    self.socket = socket
    self.executor = executor
    self.group = group
    self.listeners = listeners
    self.connections = connections
    self.gate = gate
    let over = socketLoop.makePromise(of: Void.self)
    eventsAreOver = over.futureResult
    events = Task(executorPreference: executor) {
      for await event in patch.events() { hub.publish(event) }
      // If the loop has ended, nobody waits for this.
      gate.execute(on: socketLoop) { over.succeed() }
    }
  }

  /// Stops the server: removes the socket, sends the remaining events, finishes responses, and
  /// returns within some seconds. To be called once, after the patch has ended.
  public func stop() {
    socket.remove()
    for listener in listeners { try? listener.close().wait() }
    // The promise has to be on this loop: another one may have ended already.
    let loop = eventsAreOver.eventLoop
    let eventsSent = loop.makePromise(of: Void.self)
    let timer = loop.scheduleTask(in: .milliseconds(500)) { eventsSent.succeed() }
    eventsAreOver.whenComplete { _ in eventsSent.succeed() }
    try? eventsSent.futureResult.wait()
    timer.cancel()
    events.cancel()
    // Ends streams that have not ended.
    connections.closeAll(within: .seconds(2), on: loop)
    gate.shut()
    try? group.syncShutdownGracefully()
    executor.stop()
  }
}
