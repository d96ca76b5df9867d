import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

/// Speaks with a running patch over its socket. Each call has a connection of its own, and waits in
/// the thread that calls.
public struct ControlClient: Hashable, Sendable {
  public let socketPath: String

  public init(socketPath: String) { self.socketPath = socketPath }

  /// What is asked.
  public struct Request: Hashable, Sendable {
    public enum Method: String, Hashable, Sendable { case get, put, patch, delete, post }

    public var method: Method
    public var path: String
    /// The parts of the query, not encoded.
    public var query: [String: String]
    /// The body and what it is: `application/json`.
    public var body: String?
    public var contentType: String?
    /// The entity tag, without quotes, of the document that is meant; `nil` for any.
    public var ifMatch: String?

    public init(
      _ method: Method, _ path: String, query: [String: String] = [:], body: String? = nil,
      contentType: String? = nil, ifMatch: String? = nil
    ) {
      self.method = method
      self.path = path
      self.query = query
      self.body = body
      self.contentType = contentType
      self.ifMatch = ifMatch
    }

    fileprivate var target: String {
      let items = query.sorted { $0.key < $1.key }.map {
        "\(RequestTarget.encoded($0.key))=\(RequestTarget.encoded($0.value))"
      }
      return items.isEmpty ? path : path + "?" + items.joined(separator: "&")
    }

    fileprivate var head: HTTPRequestHead {
      var headers = HTTPHeaders([("Host", "localhost"), ("Connection", "close")])
      if let contentType { headers.add(name: "Content-Type", value: contentType) }
      if let ifMatch { headers.add(name: "If-Match", value: EntityTags.quoted(ifMatch)) }
      headers.add(name: "Content-Length", value: "\(body?.utf8.count ?? 0)")
      return HTTPRequestHead(
        version: .http1_1, method: HTTPMethod(rawValue: method.rawValue.uppercased()),
        uri: target, headers: headers)
    }
  }

  /// What is answered.
  public struct Response: Hashable, Sendable {
    /// The status code: 200.
    public var status: Int
    public var contentType: String
    public var body: String
    /// After how many seconds it is worth asking again; `nil` where the answer does not say.
    public var retryAfter: Int?

    public var isSuccess: Bool { (200..<300).contains(status) }
  }

  /// How often it is asked again where the patch has no room for another client.
  private static let repetitions = 3

  /// Asks, and waits for the answer. Where the patch has no room for another client it is asked again,
  /// some seconds long.
  ///
  /// - Parameter limit: How long each answer may take, in seconds.
  public func send(
    _ request: Request, within limit: Double = 60
  ) throws(ControlError) -> Response {
    let time = TimeAmount.nanoseconds(Int64(limit * 1e9))
    var response = try exchange(request, time: time, take: nil)
    for _ in 0..<Self.repetitions {
      guard response.status == 503, let seconds = response.retryAfter else { break }
      sleep(UInt32(min(max(seconds, 0), 5)))
      response = try exchange(request, time: time, take: nil)
    }
    return response
  }

  /// Listens until the patch ends, or `take` returns `false`. It is called in a thread of the
  /// client's own.
  ///
  /// - Parameter meterRate: How often a second the meters are read; `nil` for never.
  /// - Returns: An answer that is no stream, where there was one.
  public func listen(
    meterRate: Double? = nil, _ take: @escaping @Sendable (ServerSentEvent) -> Bool
  ) throws(ControlError) -> Response {
    let query = meterRate.map { ["meters": "\($0)"] } ?? [:]
    return try exchange(Request(.get, "/events", query: query), time: nil, take: take)
  }

  private func exchange(
    _ request: Request, time: TimeAmount?, take: (@Sendable (ServerSentEvent) -> Bool)?
  ) throws(ControlError) -> Response {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    defer { try? group.syncShutdownGracefully() }
    let answer = group.next().makePromise(of: Response.self)
    let channel: any Channel
    do {
      channel = try ClientBootstrap(group: group)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHTTPClientHandlers()
            try pipeline.addHandler(ResponseHandler(answer, take))
          }
        }
        .connect(unixDomainSocketPath: socketPath).wait()
    } catch {
      answer.fail(error)
      throw notReached(error)
    }
    channel.write(HTTPClientRequestPart.head(request.head), promise: nil)
    if let body = request.body, !body.isEmpty {
      let bytes = channel.allocator.buffer(string: body)
      channel.write(HTTPClientRequestPart.body(.byteBuffer(bytes)), promise: nil)
    }
    channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    let timer = time.map { time in
      channel.eventLoop.scheduleTask(in: time) {
        answer.fail(ControlError("the patch does not answer", isLost: true))
      }
    }
    defer { timer?.cancel() }
    do { return try answer.futureResult.wait() } catch {
      throw lost(error, isStream: take != nil)
    }
  }

  /// What has become of a connection that ended too early: the patch has gone, or only this has.
  private func lost(_ error: any Error, isStream: Bool) -> ControlError {
    if let error = error as? ControlError { return error }
    guard ControlSocket.probe(socketPath) == .live else {
      return ControlError(
        isStream ? "the patch has gone" : "the patch has gone before it had answered",
        isLost: true)
    }
    let why = error is IOError ? ": \(reason(error))" : ""
    return ControlError(
      isStream
        ? "the patch plays on, but has closed the connection\(why)"
        : "the patch plays on, but has closed the connection before it had answered\(why)",
      help: ["ask it again"], isLost: true)
  }

  /// The other side has closed a connection before an answer was whole.
  fileprivate struct ClosedEarly: Error {}

  private func notReached(_ error: any Error) -> ControlError {
    let number = (error as? IOError)?.errnoCode
    guard number == ENOENT || number == ECONNREFUSED else {
      return ControlError("'\(socketPath)' cannot be reached: \(reason(error))")
    }
    return ControlError("no patch is running at '\(socketPath)'")
  }
}

/// Gathers an answer, or hands on what a stream says.
private final class ResponseHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  private let answer: EventLoopPromise<ControlClient.Response>
  private let take: (@Sendable (ServerSentEvent) -> Bool)?
  private var response = ControlClient.Response(status: 0, contentType: "", body: "")
  private var body: [UInt8] = []
  private var reader = ServerSentEventReader()

  init(
    _ answer: EventLoopPromise<ControlClient.Response>,
    _ take: (@Sendable (ServerSentEvent) -> Bool)?
  ) {
    self.answer = answer
    self.take = take
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      response.status = Int(head.status.code)
      response.contentType = head.headers.first(name: "Content-Type") ?? ""
      response.retryAfter = head.headers.first(name: "Retry-After").flatMap { Int($0) }
    case .body(let bytes):
      guard let take, response.isSuccess else {
        body.append(contentsOf: bytes.readableBytesView)
        return
      }
      for event in reader.read(bytes.readableBytesView) where !take(event) {
        finish()
        context.close(promise: nil)
        return
      }
    case .end:
      finish()
      context.close(promise: nil)
    }
  }

  private func finish() {
    response.body = String(decoding: body, as: UTF8.self)
    answer.succeed(response)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    answer.fail(error)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    // Of an answer that was whole this changes nothing.
    answer.fail(ControlClient.ClosedEarly())
    context.fireChannelInactive()
  }
}
