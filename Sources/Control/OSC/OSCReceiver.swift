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

/// The change that messages ask for.
struct OSCChange: Sendable {
  let patch: any ControlledPatch
  let tally: ControlTally
  /// How many changes may be tried.
  let attempts: Int

  /// All at once; where that is refused, the two halves, and their halves, so that a wrong value keeps no
  /// other from being heard.
  func make(_ all: [[OSCMessage]]) async {
    // What is set with a trigger holds when the sound begins.
    let batches = all.map { $0.filter { $0.address != Self.trigger } }.filter { !$0.isEmpty }
    if !batches.isEmpty { await change(batches) }
    // Of those that came together each sound begins once, and no more of them than changes are tried.
    var names: [String] = []
    for message in all.flatMap(\.self) where message.address == Self.trigger {
      let named = message.arguments.compactMap(Self.name)
      if named.isEmpty { tally.count(\.oscUnmatched) }
      for name in named where !names.contains(name) {
        if names.count < attempts { names.append(name) } else { tally.count(\.oscDropped) }
      }
    }
    for name in names {
      if case .begun = await patch.trigger(name, by: .osc) {
        tally.count(\.applied)
      } else {
        tally.count(\.oscUnmatched)
      }
    }
  }

  /// The address of messages that have the sounds of callbacks begin again.
  static let trigger = "/trigger"

  /// The name that an argument is; `nil` for none.
  private static func name(_ argument: OSCArgument) -> String? {
    switch argument {
    case .string(let text), .symbol(let text): text
    default: nil
    }
  }

  private func change(_ batches: [[OSCMessage]]) async {
    var rest = [batches[...]]
    var attempts = attempts
    while let some = rest.popLast() {
      guard attempts > 0 else {
        tally.count(\.oscDropped, by: some.reduce(0) { $0 + $1.count })
        continue
      }
      attempts -= 1
      let isDone = await change(some.flatMap(\.self), isAlone: some.count == 1)
      guard !isDone, some.count > 1 else { continue }
      let middle = some.startIndex + some.count / 2
      // The first half is the next.
      rest += [some[middle...], some[..<middle]]
    }
  }

  /// Of messages that say the same address with an argument of the same type the last one, where it came,
  /// and how many there were: a fader that is moved fast is looked for in the document once.
  static func last(of messages: [OSCMessage]) -> [(message: OSCMessage, count: Int)] {
    struct Key: Hashable {
      var address: String
      var type: String
    }
    var counts: [Key: Int] = [:]
    let keys = messages.map { message in
      let type = message.arguments.map { "\($0)".prefix { $0 != "(" } }.joined(separator: ",")
      return Key(address: message.address, type: type)
    }
    for key in keys { counts[key, default: 0] += 1 }
    var kept: [(message: OSCMessage, count: Int)] = []
    for (message, key) in zip(messages, keys).reversed() {
      guard let count = counts.removeValue(forKey: key) else { continue }
      kept.append((message, count))
    }
    return kept.reversed()
  }

  /// Returns whether there is nothing left to do.
  private func change(_ messages: [OSCMessage], isAlone: Bool) async -> Bool {
    for _ in 0..<16 {
      let document = await patch.document()
      guard let root = document.root else { return true }
      var edits: [SettingEdit] = []
      var places: [JSONPointer: Int] = [:]
      var unmatched = 0
      for (message, count) in Self.last(of: messages) {
        let some = OSCSettings.edits(of: message, in: root)
        if some.isEmpty { unmatched += count }
        for edit in some {
          if let place = places[edit.pointer] {
            edits[place] = edit
          } else {
            places[edit.pointer] = edits.count
            edits.append(edit)
          }
        }
      }
      guard !edits.isEmpty else {
        tally.count(\.oscUnmatched, by: unmatched)
        return true
      }
      let outcome = await patch.change(
        .patch(operations: SettingEdit.patch(edits, in: root)), ifMatch: document.tag, by: .osc,
        through: .port)
      switch outcome {
      case .otherTag: continue
      case .applied:
        tally.count(\.oscUnmatched, by: unmatched)
        tally.count(\.applied)
        return true
      case .refused, .failed:
        if isAlone { tally.count(\.refused) }
        return false
      }
    }
    tally.count(\.oscDropped)
    return true
  }
}
