import NIOCore
import NIOHTTP1

/// Refuses a client: waits for its request, sends the reason, and closes the connection. Keeps no
/// input, and does not count as a connection.
final class Farewell: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let text: String
  /// How long the client may take to send and to read; `nil` to close right after sending.
  private let linger: TimeAmount?
  private var hasSpoken = false
  private var timer: Scheduled<Void>?

  init(_ problem: Problem, linger: TimeAmount?) {
    let response = problem.response
    let fields =
      response.headers + [
        ("Content-Length", "\(response.body.count)"), ("Connection", "close"),
      ]
    text =
      "HTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n"
      + fields.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n" + response.body.text
    self.linger = linger
  }

  func channelActive(context: ChannelHandlerContext) {
    guard let linger else { return speak(context) }
    let box = NIOLoopBound(context, eventLoop: context.eventLoop)
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: linger) {
      box.value.close(promise: nil)
    }
  }

  private func speak(_ context: ChannelHandlerContext) {
    guard !hasSpoken else { return }
    hasSpoken = true
    let written = context.eventLoop.makePromise(of: Void.self)
    let box = NIOLoopBound(context, eventLoop: context.eventLoop)
    let isHasty = linger == nil
    written.futureResult.assumeIsolated().whenComplete { _ in
      let context = box.value
      if isHasty {
        context.close(promise: nil)
      } else {
        context.close(mode: .output, promise: nil)
      }
    }
    context.writeAndFlush(
      wrapOutboundOut(context.channel.allocator.buffer(string: text)), promise: written)
  }

  /// The request is ignored. Some clients do not accept a response before they have sent it.
  func channelRead(context: ChannelHandlerContext, data: NIOAny) { speak(context) }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { timer?.cancel() }
}
