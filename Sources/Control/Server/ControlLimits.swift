import NIOCore
import NIOHTTP1

/// The limits of what clients may use, each and together.
struct ControlLimits: Sendable {
  /// Bytes of a request's body.
  var body = 16 << 20
  /// Bytes of the request line and header fields, and the number of fields.
  var headBytes = 32 << 10
  var headFields = 64
  /// The longest time without a complete request.
  var requestTime = TimeAmount.seconds(30)
  /// The total time that a client may let responses or events wait (`WaitBudget`). A tenth of the
  /// time in which nothing waits is given back.
  var answerTime = TimeAmount.seconds(30)
  /// How long excess input is read and ignored before the connection is closed.
  var lingerTime = TimeAmount.seconds(1)
  /// The interval of heartbeats in event streams.
  var heartbeat = TimeAmount.seconds(15)
  /// Unread bytes of events after which a client is disconnected.
  var eventBacklog = 512 << 10
  /// Unread bytes of a stream above which meters are left out.
  var meterBacklog = 64 << 10
  /// Simultaneous connections to the socket, and separately to the port.
  var connections = 64
  /// Simultaneous refused clients that get time to read the refusal. Others are closed at once.
  var waitingRefusals = 32
  /// The `Retry-After` of a refusal in seconds.
  var retryAfter = 1
  /// Bytes of responses in progress for all clients; responses of at most `smallAnswer` bytes are
  /// not counted.
  var answerBytes = 64 << 20
  var smallAnswer = 64 << 10
  /// Bytes of a file in memory at a time while it is sent.
  var filePiece = 256 << 10
  /// Bytes of request bodies in memory for all clients.
  var requestBytes = 64 << 20
  /// The number of events that are kept for returning clients, and their bytes.
  var keptEvents = 256
  var keptEventBytes = 1 << 20
  /// Bytes of an event; a larger one is sent without its details.
  var eventBytes = 128 << 10
  /// OSC datagrams that are read in each `oscWindow`. Others wait in the system's buffer, which
  /// drops what does not fit.
  var oscDatagrams = 64
  var oscWindow = TimeAmount.milliseconds(10)
  /// OSC messages that wait for a change or for their time.
  var oscMessages = 8192
  /// The shortest pause between changes by OSC; longer if the last change took longer.
  var oscPause = TimeAmount.milliseconds(10)
  /// The most changes that are tried to find the wrong messages among many.
  var oscAttempts = 64

  var decoder: NIOHTTPDecoderLimitConfiguration {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = headBytes / 2
    limits.maxHeaderListSize = headBytes
    limits.maxHeaderFieldCount = headFields
    return limits
  }
}
