import NIOCore
import NIOHTTP1

/// Refuses a client: waits for its request, sends the reason, and closes the connection. Keeps no
/// input. The connection does not count towards the limit.
final class RefusalHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let text: String
  /// How long the client may take to send and to read; `nil` to close right after sending.
  private let linger: TimeAmount?
  private var hasSent = false
  private var timer: Scheduled<Void>?

  init(_ response: ControlResponse, linger: TimeAmount?) {
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
    guard let linger else { return sendRefusal(context) }
    let box = NIOLoopBound(context, eventLoop: context.eventLoop)
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: linger) {
      box.value.close(promise: nil)
    }
  }

  private func sendRefusal(_ context: ChannelHandlerContext) {
    guard !hasSent else { return }
    hasSent = true
    let written = context.eventLoop.makePromise(of: Void.self)
    let box = NIOLoopBound(context, eventLoop: context.eventLoop)
    let closesAtOnce = linger == nil
    written.futureResult.assumeIsolated().whenComplete { _ in
      let context = box.value
      if closesAtOnce {
        context.close(promise: nil)
      } else {
        context.close(mode: .output, promise: nil)
      }
    }
    context.writeAndFlush(
      wrapOutboundOut(context.channel.allocator.buffer(string: text)), promise: written)
  }

  /// Ignores the request and sends the refusal. Some clients do not accept a response before they
  /// have sent their request.
  func channelRead(context: ChannelHandlerContext, data: NIOAny) { sendRefusal(context) }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { timer?.cancel() }
}
