import NIOCore
import NIOHTTP1

/// What clients may use up, each and all together.
struct ControlLimits: Sendable {
  /// Bytes of a request's body.
  var body = 16 << 20
  /// Bytes of a request's line and header fields, and how many fields.
  var headBytes = 32 << 10
  var headFields = 64
  /// How long a connection may be without a whole request.
  var requestTime = TimeAmount.seconds(30)
  /// How long a client may keep answers waiting, or lag behind a stream of events: all such times of
  /// a connection together. A tenth of the time in which nothing waits for it comes back.
  var answerTime = TimeAmount.seconds(30)
  /// How long bytes that were sent too much are thrown away before a connection is closed.
  var lingerTime = TimeAmount.seconds(1)
  /// From one sign of life of a stream of events to the next.
  var heartbeat = TimeAmount.seconds(15)
  /// Bytes of events that a client has not read, after which it is dropped.
  var eventBacklog = 512 << 10
  /// Bytes of a stream that a client has not read, above which it is sent no meters.
  var meterBacklog = 64 << 10
  /// Connections at the same time to the control socket, and as many to the port.
  var connections = 64
  /// Clients that are sent away at the same time and get a moment to read why. Others are closed as
  /// soon as they have been told.
  var farewells = 32
  /// After how many seconds a client that finds no room may come again.
  var retryAfter = 1
  /// Bytes of answers that are on their way to all clients together; those that have no more than
  /// `smallAnswer` are not counted.
  var answerBytes = 64 << 20
  var smallAnswer = 64 << 10
  /// Bytes of a file that are in memory at a time while it is sent.
  var filePiece = 256 << 10
  /// Bytes of the bodies of requests that have been taken in from all clients together.
  var requestBytes = 64 << 20
  /// Events that are kept for clients that come back, and their bytes.
  var keptEvents = 256
  var keptEventBytes = 1 << 20
  /// Bytes of an event; one that has more goes without its details.
  var eventBytes = 128 << 10
  /// OSC datagrams that are read in each `oscWindow`. Others wait in the system, which drops what
  /// does not fit there.
  var oscDatagrams = 64
  var oscWindow = TimeAmount.milliseconds(10)
  /// OSC messages that wait to be made a change of, or for their time.
  var oscMessages = 8192
  /// How long at least there is no change by OSC after one: as long as that one took, if it is longer.
  var oscRest = TimeAmount.milliseconds(10)
  /// Changes that are tried to find the messages among many that are wrong.
  var oscAttempts = 64

  var decoder: NIOHTTPDecoderLimitConfiguration {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = headBytes / 2
    limits.maxHeaderListSize = headBytes
    limits.maxHeaderFieldCount = headFields
    return limits
  }
}
