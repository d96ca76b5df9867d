import NIOCore
import NIOPosix
import PatchSyntax

/// Takes OSC datagrams, and changes the patch by them.
///
/// A fader sends faster than documents change. While one change is being made, what comes is
/// gathered, and of the values for one setting only the last is kept.
///
/// Senders are not known, and may send what they like as fast as they can. So there is an end to what is
/// read in a time, to what waits, and to the share of a processor that changes take: after each there is
/// a rest that is as long.
final class OSCReceiver: ChannelInboundHandler {
  typealias InboundIn = AddressedEnvelope<ByteBuffer>

  private let routes: Routes
  private let limits: ControlLimits
  /// What belongs together, in the order in which it came.
  private var waiting: [[OSCMessage]] = []
  /// Messages that wait for a change, or for their time.
  private var waitingCount = 0
  private var isChanging = false
  /// What is read now belongs to a stretch of time, and so much has been read in it.
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
        // It asks for the next one itself.
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

  /// A datagram that could not be delivered is nothing to end for.
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

  /// The messages of a bundle take effect together; bundles in it have times of their own.
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
      gate.execute(on: eventLoop) { receiver.value.rest(since: begin, eventLoop) }
    }
  }

  /// Leaves the processor to others for as long as a change has taken.
  private func rest(since begin: NIODeadline, _ eventLoop: any EventLoop) {
    let rest = max(limits.oscRest, NIODeadline.now() - begin)
    eventLoop.assumeIsolated().scheduleTask(in: rest) {
      self.isChanging = false
      self.changeNext(eventLoop)
    }
  }
}

extension OSCPacket {
  /// How many messages it is, those of bundles in it included.
  fileprivate var messageCount: Int {
    switch self {
    case .message: 1
    case .bundle(_, let packets): packets.reduce(1) { $0 + $1.messageCount }
    }
  }
}
