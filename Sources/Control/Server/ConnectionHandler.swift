import NIOCore
import NIOHTTP1
import PatchSyntax

/// One connection: a request at a time, each whole before it is answered.
///
/// It waits for nothing that a client may keep from it: every state has an end in time.
final class ConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  /// The server ends: what is being answered is finished, and then the connection closes.
  struct Closing: Sendable {}

  private enum State {
    /// No request, or the head of one, is there.
    case waiting
    case reading(ControlRequest)
    case answering
    case streaming
    /// An answer has been written and nothing more is read.
    case ending
  }

  private let routes: Routes
  private let hub: EventHub
  private let limits: ControlLimits
  private let keeper: RequestGuard
  /// Why this client gets no answer; `nil` for one that does.
  private let exclusion: Problem?
  private var state = State.waiting
  private var context: ChannelHandlerContext?
  private var closesAfterAnswer = false
  private var isHead = false
  private var deadline: Scheduled<Void>?
  private var stream = EventStream()

  private struct EventStream {
    var listener: Int?
    /// Events that have come before the status; `nil` once that has been written.
    var early: [String]? = []
    var unread = 0
    var ticks: Scheduled<Void>?
    var meterInterval: TimeAmount?
    var bands: Int?
    var hasPreFader = true
    var meters: Scheduled<Void>?
  }

  init(
    routes: Routes, hub: EventHub, limits: ControlLimits, keeper: RequestGuard,
    exclusion: Problem?
  ) {
    self.routes = routes
    self.hub = hub
    self.limits = limits
    self.keeper = keeper
    self.exclusion = exclusion
  }

  // MARK: The connection

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    closeUnless(within: limits.requestTime)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  private func end() {
    deadline?.cancel()
    stream.ticks?.cancel()
    stream.meters?.cancel()
    if let listener = stream.listener { hub.leave(listener) }
    stream.listener = nil
    context = nil
  }

  /// Closes the connection after so long, unless this is called again before.
  private func closeUnless(within time: TimeAmount) {
    deadline?.cancel()
    deadline = context?.eventLoop.assumeIsolated().scheduleTask(in: time) { [weak self] in
      self?.context?.close(promise: nil)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? HTTPParserError else {
      context.close(promise: nil)
      return
    }
    switch state {
    case .waiting, .reading:
      let isTooLong = error == .headerOverflow
      closesAfterAnswer = true
      isHead = false
      write(
        Problem(
          status: isTooLong ? .requestHeaderFieldsTooLarge : .badRequest,
          detail: isTooLong
            ? "the head of the request is too long" : "this is not an HTTP/1.1 request"
        ).response)
    case .answering, .streaming: closesAfterAnswer = true
    case .ending: break
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is Closing {
      closesAfterAnswer = true
      switch state {
      case .waiting, .reading: context.close(promise: nil)
      case .streaming: finishStream()
      case .answering, .ending: break
      }
    } else if event as? ChannelEvent == .inputClosed {
      switch state {
      case .answering: closesAfterAnswer = true
      default: context.close(promise: nil)
      }
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch (unwrapInboundIn(data), state) {
    case (.head(let head), .waiting): begin(head)
    case (.body(let bytes), .reading(var request)):
      // Not two owners, or each part would copy all before it.
      state = .waiting
      request.body.append(contentsOf: bytes.readableBytesView)
      state = .reading(request)
      if request.body.count > limits.body { refuse(tooLarge) }
    case (.end, .reading(let request)): answer(request)
    default: break
    }
  }

  private func begin(_ head: HTTPRequestHead) {
    isHead = head.method == .HEAD
    closesAfterAnswer = !head.isKeepAlive
    closeUnless(within: limits.requestTime)
    if let problem = exclusion ?? keeper.refusal(head) { return refuse(problem) }
    let lengths = head.headers["Content-Length"].compactMap { Int($0) }
    if let length = lengths.first, length > limits.body { return refuse(tooLarge) }
    state = .reading(
      ControlRequest(method: head.method, target: head.uri, headers: head.headers))
    if head.headers["Expect"].contains(where: { $0.lowercased() == "100-continue" }) {
      let go = HTTPResponseHead(version: .http1_1, status: .continue)
      context?.writeAndFlush(wrapOutboundOut(.head(go)), promise: nil)
    }
  }

  private var tooLarge: Problem {
    Problem(status: .payloadTooLarge, detail: "the body has more than \(limits.body) bytes")
  }

  /// Answers before the request is over, and takes no more of it.
  private func refuse(_ problem: Problem) {
    closesAfterAnswer = true
    write(problem.response)
  }

  private func answer(_ request: ControlRequest) {
    guard let eventLoop = context?.eventLoop else { return }
    state = .answering
    // The patch may take the time that it needs.
    deadline?.cancel()
    let routes = routes
    let handler = NIOLoopBound(self, eventLoop: eventLoop)
    Task(executorPreference: routes.executor) {
      let answer = await routes.answer(request)
      eventLoop.execute {
        switch answer {
        case .response(let response): handler.value.write(response)
        case .events(let events): handler.value.startStream(events)
        }
      }
    }
  }

  // MARK: Answers

  private static let commonHeaders = [
    ("Cache-Control", "no-cache"), ("X-Content-Type-Options", "nosniff"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
  ]

  private func write(_ response: ControlResponse) {
    guard let context else { return }
    state = .answering
    closeUnless(within: limits.answerTime)
    var headers = HTTPHeaders(Self.commonHeaders + response.headers)
    let body = response.body.utf8
    let isEmpty = response.status == .notModified || response.status == .noContent
    if !isEmpty { headers.add(name: "Content-Length", value: "\(body.count)") }
    if closesAfterAnswer { headers.add(name: "Connection", value: "close") }
    let head = HTTPResponseHead(version: .http1_1, status: response.status, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if !isHead && !isEmpty && !body.isEmpty {
      let buffer = context.channel.allocator.buffer(string: response.body)
      context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
    }
    writeEnd()
  }

  /// Ends an answer, and once it has gone waits for the next request, or closes.
  private func writeEnd() {
    guard let context else { return }
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.answered() }
    // Before the write: its end may deliver the next request.
    let closes = closesAfterAnswer
    state = closes ? .ending : .waiting
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: promise)
  }

  private func answered() {
    switch state {
    case .ending:
      // What the client still sends would make the system throw the answer away with the
      // connection: it is read, and nothing comes of it.
      context?.close(mode: .output, promise: nil)
      closeUnless(within: limits.lingerTime)
    case .waiting: closeUnless(within: limits.requestTime)
    case .reading, .answering, .streaming: break
    }
  }

  // MARK: Streams of events

  private func startStream(_ request: EventRequest) {
    guard let context else { return }
    let headers = HTTPHeaders(
      [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store")]
        + Self.commonHeaders.dropFirst())
    let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    state = .streaming
    deadline?.cancel()
    write(text: ServerSentEvent.retry(2000))
    let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
    let eventLoop = context.eventLoop
    let patch = routes.patch
    // Nothing is missed between the status and the first event.
    stream.listener = hub.listen(after: request.lastEventID) { event in
      eventLoop.execute { handler.value.take(event) }
    }
    Task(executorPreference: routes.executor) {
      let status = await patch.status()
      eventLoop.execute { handler.value.begin(with: status) }
    }
    tick()
    if let rate = request.meterRate {
      stream.meterInterval = .nanoseconds(Int64(1e9 / rate))
      stream.bands = request.bands
      stream.hasPreFader = request.hasPreFader
      readMeters()
    }
  }

  /// What there is now comes first, so that nothing has to be asked for besides.
  private func begin(with status: ControlStatus) {
    let events = stream.early ?? []
    stream.early = nil
    write(text: ServerSentEvent(name: "status", data: status.json.compact).wire)
    for event in events { write(text: event) }
  }

  private func take(_ event: ServerSentEvent) {
    if stream.early == nil {
      write(text: event.wire)
    } else {
      stream.early?.append(event.wire)
    }
  }

  private var isStreaming: Bool {
    guard case .streaming = state else { return false }
    return context != nil
  }

  private func write(text: String) {
    guard isStreaming, let context else { return }
    let buffer = context.channel.allocator.buffer(string: text)
    let count = buffer.readableBytes
    guard stream.unread + count <= limits.eventBacklog else {
      // Nobody reads: it is not waited for.
      context.close(promise: nil)
      return
    }
    stream.unread += count
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { [weak self] _ in
      self?.stream.unread -= count
    }
    context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: promise)
  }

  /// Says now and then that the stream lives, and ends one that nobody has read since.
  private func tick() {
    guard isStreaming else { return }
    let before = stream.unread
    stream.ticks = context?.eventLoop.assumeIsolated().scheduleTask(in: limits.heartbeat) {
      [weak self] in
      guard let self else { return }
      if before > 0 && self.stream.unread >= before {
        self.context?.close(promise: nil)
      } else {
        self.write(text: ServerSentEvent.heartbeat)
        self.tick()
      }
    }
  }

  /// Reads the meters, writes what they say, and does so again an interval after it began: or at once,
  /// where that has taken longer, but never two at a time.
  private func readMeters() {
    guard isStreaming, let eventLoop = context?.eventLoop, let interval = stream.meterInterval
    else { return }
    let next = NIODeadline.now() + interval
    let handler = NIOLoopBound(self, eventLoop: eventLoop)
    let (patch, bands, hasPreFader) = (routes.patch, stream.bands, stream.hasPreFader)
    Task(executorPreference: routes.executor) {
      var meters = await patch.meters()
      if !hasPreFader { for index in meters.indices { meters[index].preFaderLevels = nil } }
      if let bands { meters = meters.map { $0.inBands(perOctave: bands) } }
      let data = ControlMeter.json(meters).compact
      let text = ServerSentEvent(name: "meters", data: data).wire
      eventLoop.execute {
        guard handler.value.isStreaming else { return }
        handler.value.write(text: text)
        handler.value.stream.meters = eventLoop.assumeIsolated().scheduleTask(deadline: next) {
          handler.value.readMeters()
        }
      }
    }
  }

  private func finishStream() {
    stream.ticks?.cancel()
    stream.meters?.cancel()
    if let listener = stream.listener { hub.leave(listener) }
    stream.listener = nil
    closeUnless(within: limits.lingerTime)
    writeEnd()
  }
}
