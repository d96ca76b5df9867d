import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Serves a running patch to `patchrun ctl`, to curl and to controllers: on a UNIX socket always, on
/// TCP and for OSC when asked for.
///
/// It has threads of its own. Nothing of it runs on the render
/// thread or holds what the render thread needs.
public final class ControlServer: Sendable {
  public struct Options: Hashable, Sendable {
    /// What the socket is called: `NAME.sock`.
    public var name: String
    /// Whether it has to be called that: if not, and the name is taken, it gets a number.
    public var isNameExact: Bool
    /// Where the socket is.
    public var folder: ControlFolder
    /// The port of 127.0.0.1 and [::1] to listen to; 0 for any that is free, `nil` for none.
    public var port: Int?
    /// Where OSC messages are taken; `nil` for nowhere.
    public var osc: OSCOptions?
    /// Whether the page of the control panel is served.
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

  /// Where OSC messages are taken.
  public struct OSCOptions: Hashable, Sendable {
    /// The address to listen to. Messages have no sender that could be checked: another one than
    /// `127.0.0.1` lets the network in.
    public var address: String
    /// 0 for any that is free.
    public var port: Int

    public init(address: String = "127.0.0.1", port: Int) {
      self.address = address
      self.port = port
    }
  }

  /// What the socket is called.
  public let name: String
  public let socketPath: String
  /// The port that is listened to; `nil` for none.
  public let port: Int?
  /// The port that OSC messages are taken on; `nil` for none.
  public let oscPort: Int?

  private let socket: ControlSocket
  private let executor: CallExecutor
  private let group: MultiThreadedEventLoopGroup
  private let listeners: [any Channel]
  private let connections: OpenConnections
  private let gate: LoopGate
  private let events: Task<Void, Never>
  private let eventsAreOver: EventLoopFuture<Void>

  /// Opens the room. The socket is there, and answers, when this returns.
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
    // What comes by the port, and by OSC, has a thread of its own: nobody there holds the socket up.
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
    let door = ControlDoor(
      routes: routes, hub: hub, limits: limits, budgets: ControlBudgets(limits),
      connections: connections)
    var listeners: [any Channel] = []
    let (ownLoop, openLoop) = (group.next(), group.next())
    listeners.append(try door.open(socket, ownLoop))
    var port: Int?
    if let wanted = options.port {
      let opened = try door.open(port: wanted, openLoop)
      listeners += opened
      port = opened.first?.localAddress?.port
    }
    var oscPort: Int?
    if let osc = options.osc {
      let channel = try OSCReceiver.open(osc, routes, limits, openLoop)
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
    let over = ownLoop.makePromise(of: Void.self)
    eventsAreOver = over.futureResult
    events = Task(executorPreference: executor) {
      for await event in patch.events() { hub.publish(event) }
      // The loop may have ended by now: then nobody waits for this.
      gate.execute(on: ownLoop) { over.succeed() }
    }
  }

  /// Closes the room: takes the socket away, hands out the events that are left, finishes the answers
  /// that are being written, and returns within some seconds. Called once, after the patch has ended.
  public func stop() {
    socket.remove()
    for listener in listeners { try? listener.close().wait() }
    // The same loop: a promise of another one would be kept on that, which may have ended by then.
    let loop = eventsAreOver.eventLoop
    let patience = loop.makePromise(of: Void.self)
    let timer = loop.scheduleTask(in: .milliseconds(500)) { patience.succeed() }
    eventsAreOver.whenComplete { _ in patience.succeed() }
    try? patience.futureResult.wait()
    timer.cancel()
    events.cancel()
    // A stream that was never ended ends here.
    connections.closeAll(within: .seconds(2), on: loop)
    gate.shut()
    try? group.syncShutdownGracefully()
    executor.stop()
  }
}
