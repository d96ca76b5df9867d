import NIOCore

/// Tells a connection at once that its client has ended its side.
///
/// The handler of NIO that holds back pipelined requests holds back this, too, and it may never come
/// behind half a request.
final class EndOfInput: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let connection: ConnectionHandler

  init(for connection: ConnectionHandler) { self.connection = connection }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed { connection.clientHasEnded() }
    context.fireUserInboundEventTriggered(event)
  }
}
