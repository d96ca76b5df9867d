import NIOCore
import NIOPosix
import PatchSyntax

/// Takes OSC datagrams, and changes the patch by them.
///
/// A fader sends faster than documents change. While one change is being made, what comes is
/// gathered, and of the values for one setting only the last is kept.
final class OSCReceiver: ChannelInboundHandler {
  typealias InboundIn = AddressedEnvelope<ByteBuffer>

  /// Messages that wait for the change before them, and bundles that wait for their time.
  private static let maximumWaiting = 1024

  private let patch: any ControlledPatch
  private let tally: ControlTally
  private let executor: CallExecutor
  /// What belongs together, in the order in which it came.
  private var waiting: [[OSCMessage]] = []
  private var isChanging = false
  private var scheduled = 0

  private init(
    _ patch: any ControlledPatch, _ tally: ControlTally, _ executor: CallExecutor
  ) {
    self.patch = patch
    self.tally = tally
    self.executor = executor
  }

  static func open(
    _ options: ControlServer.OSCOptions, _ patch: any ControlledPatch, _ tally: ControlTally,
    _ executor: CallExecutor, _ group: MultiThreadedEventLoopGroup
  ) throws(ControlError) -> any Channel {
    do {
      return try DatagramBootstrap(group: group)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(OSCReceiver(patch, tally, executor))
          }
        }
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

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
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
      guard scheduled < Self.maximumWaiting else { return tally.count(\.oscDropped) }
      scheduled += 1
      let nanoseconds = Int64(min(delay, 86_400) * 1e9)
      eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(nanoseconds)) {
        self.scheduled -= 1
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
    guard waiting.count < Self.maximumWaiting else { return tally.count(\.oscDropped) }
    waiting.append(messages)
    changeNext(eventLoop)
  }

  private func changeNext(_ eventLoop: any EventLoop) {
    guard !isChanging, !waiting.isEmpty else { return }
    isChanging = true
    let batches = waiting
    waiting = []
    let receiver = NIOLoopBound(self, eventLoop: eventLoop)
    let change = OSCChange(patch: patch, tally: tally)
    Task(executorPreference: executor) {
      await change.make(batches)
      eventLoop.execute {
        receiver.value.isChanging = false
        receiver.value.changeNext(eventLoop)
      }
    }
  }
}

/// The change that messages ask for.
private struct OSCChange: Sendable {
  let patch: any ControlledPatch
  let tally: ControlTally

  /// All at once; where that is refused, one after the other, so that a wrong value keeps no other
  /// from being heard.
  func make(_ batches: [[OSCMessage]]) async {
    guard await change(batches.flatMap(\.self), isAlone: batches.count == 1) == false,
      batches.count > 1
    else { return }
    for batch in batches { _ = await change(batch, isAlone: true) }
  }

  /// Returns whether there is nothing left to do.
  private func change(_ messages: [OSCMessage], isAlone: Bool) async -> Bool {
    for _ in 0..<16 {
      let document = await patch.document()
      guard let root = JSONReading.document(document.text) else { return true }
      var edits: [SettingEdit] = []
      var places: [JSONPointer: Int] = [:]
      var unmatched = 0
      for message in messages {
        let some = OSCSettings.edits(of: message, in: root)
        if some.isEmpty { unmatched += 1 }
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
        .patch(operations: SettingEdit.patch(edits, in: root)), ifMatch: document.tag, by: .osc)
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
