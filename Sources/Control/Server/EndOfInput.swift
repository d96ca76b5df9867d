import NIOCore

/// Tells a connection at once that the client has closed its side.
///
/// NIO's handler for pipelined requests delays this event, and may never deliver it after half a
/// request.
final class EndOfInput: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let connection: ConnectionHandler

  init(for connection: ConnectionHandler) { self.connection = connection }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event as? ChannelEvent == .inputClosed { connection.clientHasEnded() }
    context.fireUserInboundEventTriggered(event)
  }
}
