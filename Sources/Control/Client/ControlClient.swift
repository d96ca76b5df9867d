import Diagnostics
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

/// A client of a running patch's control socket. Each call opens a connection of its own and blocks
/// the calling thread.
public struct ControlClient: Hashable, Sendable {
  public let socketPath: String

  public init(socketPath: String) { self.socketPath = socketPath }

  /// A request.
  public struct Request: Hashable, Sendable {
    public enum Method: String, Hashable, Sendable { case get, put, patch, delete, post }

    public var method: Method
    public var path: String
    /// The items of the query, not percent-encoded.
    public var query: [String: String]
    /// The body and its type, such as `application/json`.
    public var body: String?
    public var contentType: String?
    /// The entity tag of the document, without quotes; `nil` for any.
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
        "\(percentEncoded($0.key))=\(percentEncoded($0.value))"
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

  /// A response.
  public struct Response: Hashable, Sendable {
    /// The status code, such as 200.
    public var status: Int
    public var contentType: String
    public var body: String
    /// The `Retry-After` in seconds; `nil` if the response has none.
    public var retryAfter: Int?

    public var isSuccess: Bool { (200..<300).contains(status) }
  }

  /// How often a request is repeated after a 503 with `Retry-After`.
  private static let repetitions = 3

  /// Sends a request and waits for the response. If the server has no room for another client, the
  /// request is repeated for some seconds.
  ///
  /// - Parameter limit: The timeout of each attempt in seconds.
  /// - Throws: If the patch cannot be reached, or does not answer.
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

  /// Reads events until the patch ends or `take` returns `false`. `take` is called on a thread of
  /// the client.
  ///
  /// - Parameter meterRate: Readings of the meters a second; `nil` for none.
  /// - Returns: The response; a response that is no stream was a refusal.
  /// - Throws: If the patch cannot be reached, or the connection is lost.
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

  /// The error for a connection that ended early: it distinguishes a patch that has ended from a
  /// lost connection.
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

  /// The server closed the connection before a response was complete.
  fileprivate struct ClosedEarly: Error {}

  private func notReached(_ error: any Error) -> ControlError {
    let number = (error as? IOError)?.errnoCode
    guard number == ENOENT || number == ECONNREFUSED else {
      return ControlError("'\(socketPath)' cannot be reached: \(reason(error))")
    }
    return ControlError("no patch is running at '\(socketPath)'")
  }
}

/// Collects a response, or passes on the events of a stream.
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
    // Has no effect after a complete response.
    answer.fail(ControlClient.ClosedEarly())
    context.fireChannelInactive()
  }
}
