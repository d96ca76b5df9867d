import NIOCore
import NIOHTTP1
import PatchSyntax

/// A connection: one request at a time, read completely before it is answered.
///
/// Every wait for the client has a timeout, so that no client can hold the connection. For a client
/// that does not read, only the one response that it has requested is kept.
final class ConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  /// The server is stopping: finish the current response, then close.
  struct Closing: Sendable {}

  private enum State {
    /// Waiting for a request, or for the rest of its head.
    case waiting
    case reading(ControlRequest)
    case answering
    case streaming
    /// A response is written, and nothing more is read.
    case ending
  }

  private let routes: Routes
  private let hub: EventHub
  private let limits: ControlLimits
  private let budgets: ControlBudgets
  private let requestGuard: RequestGuard
  private var state = State.waiting
  private var context: ChannelHandlerContext?
  private var closesAfterAnswer = false
  /// Whether the client has closed its side: an incomplete request will never be complete.
  private var hasClientEnded = false
  private var isHead = false
  private var deadline: Scheduled<Void>?
  private var waitBudget: WaitBudget
  /// The bytes of this connection in the budgets.
  private var requestBytes = 0
  private var answerBytes = 0
  private var stream = EventStream()

  private struct EventStream {
    var listener: Int?
    /// Events that arrived before the status; `nil` once it is written.
    var early: [String]? = []
    var unread = 0
    var ticks: Scheduled<Void>?
    var meterInterval: TimeAmount?
    var bands: Int?
    var hasPreFader = true
    var meters: Scheduled<Void>?
  }

  init(
    routes: Routes, hub: EventHub, limits: ControlLimits, budgets: ControlBudgets,
    requestGuard: RequestGuard
  ) {
    self.routes = routes
    self.hub = hub
    self.limits = limits
    self.budgets = budgets
    self.requestGuard = requestGuard
    waitBudget = WaitBudget(limits.answerTime)
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
    releaseRequest()
    releaseAnswer()
    context = nil
  }

  private func releaseRequest() {
    budgets.requests.release(requestBytes)
    requestBytes = 0
  }

  private func releaseAnswer() {
    budgets.answers.release(answerBytes)
    answerBytes = 0
  }

  /// Closes the connection if the client does not read within the rest of its wait budget.
  private func closeUnlessRead() {
    let left = waitBudget.begin()
    deadline?.cancel()
    deadline = context?.eventLoop.assumeIsolated().scheduleTask(in: left) { [weak self] in
      guard let self, let context = self.context else { return }
      self.routes.tally.count(\.unread)
      context.close(promise: nil)
    }
  }

  /// Closes the connection after a time, unless this is called again before.
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
        .problem(
          isTooLong ? .requestHeaderFieldsTooLarge : .badRequest,
          isTooLong ? "the head of the request is too long" : "this is not an HTTP/1.1 request"))
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
      case .streaming:
        // The client may still read. If it has closed both sides, it refuses the next bytes, and
        // the connection ends.
        closesAfterAnswer = true
        if stream.unread == 0 { write(text: ServerSentEvent.heartbeat) }
      case .waiting, .reading, .ending: context.close(promise: nil)
      }
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  /// Called when the client has closed its side. The pipeline reports this later, or never if it
  /// holds back part of a request.
  func clientHasEnded() {
    hasClientEnded = true
    switch state {
    case .waiting, .reading: awaitRequest()
    case .answering, .streaming, .ending: break
    }
  }

  // MARK: Requests

  private func awaitRequest() {
    closeUnless(within: hasClientEnded ? limits.lingerTime : limits.requestTime)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch (unwrapInboundIn(data), state) {
    case (.head(let head), .waiting): begin(head)
    case (.body(let bytes), .reading(var request)):
      // Releases the other reference to the body, so that appending does not copy it.
      state = .waiting
      request.body.append(contentsOf: bytes.readableBytesView)
      state = .reading(request)
      if request.body.count > limits.body { return refuse(tooLarge) }
      guard budgets.requests.reserve(bytes.readableBytes) else { return refuse(busy) }
      requestBytes += bytes.readableBytes
    case (.end, .reading(let request)): answer(request)
    default: break
    }
  }

  private func begin(_ head: HTTPRequestHead) {
    isHead = head.method == .HEAD
    closesAfterAnswer = !head.isKeepAlive
    awaitRequest()
    if let refusal = requestGuard.refusal(head) { return refuse(refusal) }
    let lengths = head.headers["Content-Length"].compactMap { Int($0) }
    if let length = lengths.first, length > limits.body { return refuse(tooLarge) }
    state = .reading(
      ControlRequest(
        method: head.method, target: head.uri, headers: head.headers,
        entrance: requestGuard.port == nil ? .socket : .port))
    if head.headers["Expect"].contains(where: { $0.lowercased() == "100-continue" }) {
      let go = HTTPResponseHead(version: .http1_1, status: .continue)
      context?.writeAndFlush(wrapOutboundOut(.head(go)), promise: nil)
    }
  }

  private var tooLarge: ControlResponse {
    .problem(.payloadTooLarge, "the body has more than \(limits.body) bytes")
  }

  private var busy: ControlResponse {
    .problem(
      .serviceUnavailable,
      "so much is on its way to and from other clients that there is no room for this",
      help: ["try again in a moment"], headers: [("Retry-After", "\(limits.retryAfter)")])
  }

  /// Answers before the request is complete, and reads no more of it.
  private func refuse(_ response: ControlResponse) {
    closesAfterAnswer = true
    write(response)
  }

  private func answer(_ request: ControlRequest) {
    guard let eventLoop = context?.eventLoop else { return }
    state = .answering
    // The patch may take as long as it needs.
    deadline?.cancel()
    let routes = routes
    let target = RequestTarget(request.target)
    let handler = NIOLoopBound(self, eventLoop: eventLoop)
    // A file must not wait for a slow call of the patch: a page requests both at once.
    if let answer = routes.fileAnswer(request, target) {
      // In a turn of the loop of its own: answering pipelined requests here would nest ever deeper.
      return routes.gate.execute(on: eventLoop) { handler.value.give(answer) }
    }
    Task(executorPreference: routes.executor) {
      let answer = await routes.answer(request, target)
      routes.gate.execute(on: eventLoop) { handler.value.give(answer) }
    }
  }

  private func give(_ answer: ControlAnswer) {
    releaseRequest()
    switch answer {
    case .response(let response): write(response)
    case .events(let events): startStream(events)
    }
  }

  // MARK: Answers

  private static let commonHeaders = [
    ("Cache-Control", "no-cache"), ("X-Content-Type-Options", "nosniff"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
  ]

  /// Writes a response. Its end is written, and the next request read, only after the system has
  /// taken everything before.
  private func write(_ response: ControlResponse) {
    guard let context else { return }
    var response = response
    let isEmpty = response.status == .notModified || response.status == .noContent
    if !isHead && !isEmpty {
      let count = response.body.heldCount
      if count <= limits.smallAnswer {
        // Small responses are bounded by the number of connections.
      } else if budgets.answers.reserve(count) {
        answerBytes = count
      } else {
        closesAfterAnswer = true
        response = busy
      }
    }
    state = .answering
    closeUnlessRead()
    var headers = HTTPHeaders(Self.commonHeaders + response.headers)
    let count = response.body.count
    if !isEmpty { headers.add(name: "Content-Length", value: "\(count)") }
    if closesAfterAnswer { headers.add(name: "Connection", value: "close") }
    let head = HTTPResponseHead(version: .http1_1, status: response.status, headers: headers)
    let taken = context.eventLoop.makePromise(of: Void.self)
    if isHead || isEmpty || count == 0 {
      taken.futureResult.assumeIsolated().whenSuccess { [weak self] _ in self?.writeEnd() }
      return context.writeAndFlush(wrapOutboundOut(.head(head)), promise: taken)
    }
    if case .file(let file, let range) = response.body {
      taken.futureResult.assumeIsolated().whenSuccess { [weak self] _ in
        self?.send(file, range)
      }
      return context.writeAndFlush(wrapOutboundOut(.head(head)), promise: taken)
    }
    taken.futureResult.assumeIsolated().whenSuccess { [weak self] _ in self?.writeEnd() }
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    var buffer = context.channel.allocator.buffer(capacity: count)
    switch response.body {
    case .text(let text): buffer.writeString(text)
    case .bytes(let bytes): buffer.writeBytes(bytes)
    case .file: break
    }
    context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: taken)
  }

  /// Sends part of a file in pieces. A piece is read when the system has taken the one before; the
  /// client has `answerTime` for each.
  private func send(_ file: any ControlFile, _ range: Range<Int>) {
    guard let eventLoop = context?.eventLoop else { return }
    guard !range.isEmpty else { return writeEnd() }
    waitBudget.end()
    deadline?.cancel()
    let count = min(range.count, limits.filePiece)
    let handler = NIOLoopBound(self, eventLoop: eventLoop)
    let gate = routes.gate
    Task(executorPreference: routes.executor) {
      let bytes = file.bytes(at: range.lowerBound, count: count)
      gate.execute(on: eventLoop) { handler.value.sendPiece(bytes, of: file, range) }
    }
  }

  private func sendPiece(_ bytes: [UInt8]?, of file: any ControlFile, _ range: Range<Int>) {
    guard let context else { return }
    // The length is announced already: if the file is shorter now, the connection is closed.
    guard let bytes, !bytes.isEmpty else { return context.close(promise: nil) }
    waitBudget = WaitBudget(limits.answerTime)
    closeUnlessRead()
    let taken = context.eventLoop.makePromise(of: Void.self)
    let rest = (range.lowerBound + bytes.count)..<range.upperBound
    taken.futureResult.assumeIsolated().whenSuccess { [weak self] _ in self?.send(file, rest) }
    let buffer = context.channel.allocator.buffer(bytes: bytes)
    context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: taken)
  }

  /// Ends a response, then waits for the next request or closes.
  private func writeEnd() {
    guard let context else { return }
    releaseAnswer()
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.answered() }
    // Set before the write, whose completion may deliver the next request.
    let closes = closesAfterAnswer
    state = closes ? .ending : .waiting
    waitBudget.end()
    deadline?.cancel()
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: promise)
  }

  private func answered() {
    switch state {
    case .ending:
      // Unread input would make the system discard the response on close. So the input is read and
      // ignored.
      context?.close(mode: .output, promise: nil)
      closeUnless(within: limits.lingerTime)
    case .waiting: awaitRequest()
    case .reading where hasClientEnded: awaitRequest()
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
    // Listening begins before the status is read, so that no event is missed.
    let gate = routes.gate
    stream.listener = hub.listen(after: request.lastEventID) { event in
      gate.execute(on: eventLoop) { handler.value.take(event) }
    }
    Task(executorPreference: routes.executor) {
      let status = await patch.status()
      gate.execute(on: eventLoop) { handler.value.begin(with: status) }
    }
    tick()
    if let rate = request.meterRate {
      stream.meterInterval = .nanoseconds(Int64(1e9 / rate))
      stream.bands = request.bands
      stream.hasPreFader = request.hasPreFader
      readMeters()
    }
  }

  /// The status comes first, so that the client need not request it.
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
      // The client does not read: it is disconnected.
      routes.tally.count(\.unread)
      context.close(promise: nil)
      return
    }
    stream.unread += count
    if !waitBudget.isWaiting { closeUnlessRead() }
    let promise = context.eventLoop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.taken(count) }
    context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: promise)
  }

  /// The client has read part of the stream.
  private func taken(_ count: Int) {
    stream.unread -= count
    guard stream.unread == 0, isStreaming else { return }
    waitBudget.end()
    deadline?.cancel()
  }

  /// Writes heartbeats.
  private func tick() {
    guard isStreaming else { return }
    stream.ticks = context?.eventLoop.assumeIsolated().scheduleTask(in: limits.heartbeat) {
      [weak self] in
      guard let self else { return }
      // A client that is behind needs no heartbeat.
      if self.stream.unread == 0 { self.write(text: ServerSentEvent.heartbeat) }
      self.tick()
    }
  }

  /// Reads the meters and writes them at every interval. If a reading takes longer, the next one
  /// follows immediately; there is never more than one at a time.
  private func readMeters() {
    guard isStreaming, let eventLoop = context?.eventLoop, let interval = stream.meterInterval
    else { return }
    let next = NIODeadline.now() + interval
    // A client that is behind gets no meters.
    guard stream.unread <= limits.meterBacklog else {
      stream.meters = eventLoop.assumeIsolated().scheduleTask(deadline: next) { [weak self] in
        self?.readMeters()
      }
      return
    }
    let handler = NIOLoopBound(self, eventLoop: eventLoop)
    let gate = routes.gate
    let (patch, bands, hasPreFader) = (routes.patch, stream.bands, stream.hasPreFader)
    Task(executorPreference: routes.executor) {
      var meters = await patch.meters()
      if !hasPreFader { for index in meters.indices { meters[index].preFaderLevels = nil } }
      if let bands { meters = meters.map { $0.inBands(perOctave: bands) } }
      let data = ControlMeter.json(meters).compact
      let text = ServerSentEvent(name: "meters", data: data).wire
      gate.execute(on: eventLoop) {
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
    writeEnd()
    closeUnless(within: limits.lingerTime)
  }
}
