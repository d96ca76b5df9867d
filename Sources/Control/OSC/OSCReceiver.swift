import NIOCore
import NIOPosix

/// Receives OSC datagrams and changes the patch.
///
/// A fader sends faster than documents change. Messages that arrive during a change are gathered,
/// and only the last value of each setting is used.
///
/// Senders are unknown and may send at any rate. So there are limits on the datagrams read in a
/// window of time, on the waiting messages, and on the processor time of changes: after each change
/// there is a pause of the same length.
final class OSCReceiver: ChannelInboundHandler {
  typealias InboundIn = AddressedEnvelope<ByteBuffer>

  private let routes: Routes
  private let limits: ControlLimits
  /// The waiting messages in their order, grouped by bundle.
  private var waiting: [[OSCMessage]] = []
  /// The number of messages that wait for a change or for their time.
  private var waitingCount = 0
  private var isChanging = false
  /// The end of the current window of time, and the datagrams read in it.
  private var window = (end: NIODeadline.uptimeNanoseconds(0), count: 0)

  private var tally: ControlTally { routes.tally }

  private init(_ routes: Routes, _ limits: ControlLimits) {
    self.routes = routes
    self.limits = limits
  }

  static func open(
    _ options: ControlServer.OSCOptions, _ routes: Routes, _ limits: ControlLimits,
    _ loop: any EventLoop
  ) throws(ControlError) -> any Channel {
    do {
      return try DatagramBootstrap(group: loop)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(OSCReceiver(routes, limits))
          }
        }
        // The handler requests each read itself.
        .channelOption(ChannelOptions.autoRead, value: false)
        .channelOption(
          ChannelOptions.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 65_536)
        )
        .bind(host: options.address, port: options.port).wait()
    } catch {
      throw ControlError(
        "OSC messages cannot be taken on port \(options.port) of '\(options.address)': "
          + reason(error),
        help: ["--osc 0 takes a port that is free"])
    }
  }

  func channelActive(context: ChannelHandlerContext) { context.read() }

  func channelReadComplete(context: ChannelHandlerContext) {
    guard window.count >= limits.oscDatagrams else { return context.read() }
    tally.count(\.oscPauses)
    let box = NIOLoopBound(context, eventLoop: context.eventLoop)
    context.eventLoop.assumeIsolated().scheduleTask(deadline: window.end) { box.value.read() }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let now = NIODeadline.now()
    if now >= window.end { window = (now + limits.oscWindow, 0) }
    window.count += 1
    do throws(OSCReader.Malformed) {
      let packet = try OSCReader.read(Array(unwrapInboundIn(data).data.readableBytesView))
      tally.count(\.oscTaken)
      take(packet, context.eventLoop)
    } catch {
      tally.count(\.oscMalformed)
    }
  }

  /// An undeliverable datagram does not end the receiver.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {}

  private func take(_ packet: OSCPacket, _ eventLoop: any EventLoop) {
    switch packet {
    case .message(let message): add([message], eventLoop)
    case .bundle(let time, let packets):
      let delay = time == .immediately ? 0 : time.unixTime - WallClock.unixTime
      guard delay > 0 else { return addBundle(packets, eventLoop) }
      let count = packet.messageCount
      guard waitingCount + count <= limits.oscMessages else {
        return tally.count(\.oscDropped, by: count)
      }
      waitingCount += count
      let nanoseconds = Int64(min(delay, 86_400) * 1e9)
      eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(nanoseconds)) {
        self.waitingCount -= count
        self.addBundle(packets, eventLoop)
      }
    }
  }

  /// The messages of a bundle take effect together. Nested bundles have times of their own.
  private func addBundle(_ packets: [OSCPacket], _ eventLoop: any EventLoop) {
    var messages: [OSCMessage] = []
    for packet in packets {
      switch packet {
      case .message(let message): messages.append(message)
      case .bundle: take(packet, eventLoop)
      }
    }
    if !messages.isEmpty { add(messages, eventLoop) }
  }

  private func add(_ messages: [OSCMessage], _ eventLoop: any EventLoop) {
    guard waitingCount + messages.count <= limits.oscMessages else {
      return tally.count(\.oscDropped, by: messages.count)
    }
    waiting.append(messages)
    waitingCount += messages.count
    changeNext(eventLoop)
  }

  private func changeNext(_ eventLoop: any EventLoop) {
    guard !isChanging, !waiting.isEmpty else { return }
    isChanging = true
    let batches = waiting
    waiting = []
    waitingCount -= batches.reduce(0) { $0 + $1.count }
    let receiver = NIOLoopBound(self, eventLoop: eventLoop)
    let change = OSCChange(patch: routes.patch, tally: tally, attempts: limits.oscAttempts)
    let gate = routes.gate
    let begin = NIODeadline.now()
    Task(executorPreference: routes.executor) {
      await change.make(batches)
      gate.execute(on: eventLoop) { receiver.value.pause(since: begin, eventLoop) }
    }
  }

  /// Pauses for as long as the change has taken.
  private func pause(since begin: NIODeadline, _ eventLoop: any EventLoop) {
    let duration = max(limits.oscPause, NIODeadline.now() - begin)
    eventLoop.assumeIsolated().scheduleTask(in: duration) {
      self.isChanging = false
      self.changeNext(eventLoop)
    }
  }
}

extension OSCPacket {
  /// The number of messages, counting those in bundles.
  fileprivate var messageCount: Int {
    switch self {
    case .message: 1
    case .bundle(_, let packets): packets.reduce(1) { $0 + $1.messageCount }
    }
  }
}
