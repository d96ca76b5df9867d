import NIOCore
import NIOHTTP1

/// What a client may use up.
struct ControlLimits: Sendable {
  /// Bytes of a request's body.
  var body = 16 << 20
  /// Bytes of a request's line and header fields, and how many fields.
  var headBytes = 32 << 10
  var headFields = 64
  /// How long a connection may be without a whole request.
  var requestTime = TimeAmount.seconds(30)
  /// How long a client may take to read an answer.
  var answerTime = TimeAmount.seconds(30)
  /// How long bytes that were sent too much are thrown away before a connection is closed.
  var lingerTime = TimeAmount.seconds(1)
  /// From one sign of life of a stream of events to the next.
  var heartbeat = TimeAmount.seconds(15)
  /// Bytes of events that a client has not read, after which it is dropped.
  var eventBacklog = 512 << 10
  /// Connections at the same time.
  var connections = 64
  /// Events that are kept for clients that come back.
  var keptEvents = 256

  var decoder: NIOHTTPDecoderLimitConfiguration {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = headBytes / 2
    limits.maxHeaderListSize = headBytes
    limits.maxHeaderFieldCount = headFields
    return limits
  }
}
