import AudioTypes
import RenderHost

/// Opens a connection and its streams for a request: at first, and again after each loss.
struct PulseOpening {
  private let request: HardwareRequest
  /// The formats of the session, which new streams must keep; `nil` before there is one.
  private var outputFormat: StreamFormat?
  private var inputFormat: StreamFormat?
  /// Whether the session was made for a server's dummy sink; `nil` before there is one.
  private var acceptsDummy: Bool?
  /// The names of the devices that the selectors selected.
  private var chosenSink: String?
  private var chosenSource: String?

  init(_ request: HardwareRequest) {
    precondition(request.wantsOutput || request.wantsInput, "hardware without a side is none")
    self.request = request
  }

  /// For new streams with the formats of a link, whatever the devices run at by now.
  init(_ request: HardwareRequest, as link: PulseLink) {
    self.init(request)
    outputFormat = link.playback?.format
    inputFormat = link.capture?.format
    chosenSink = request.sink.flatMap { _ in link.playback?.device.name }
    chosenSource = request.source.flatMap { _ in link.capture?.device.name }
    acceptsDummy = (link.playback ?? link.capture)?.device.isDummySink ?? true
  }

  var wantsOutput: Bool { request.wantsOutput }
  var wantsInput: Bool { request.wantsInput }
  private var isThrough: Bool { wantsOutput && wantsInput }

  /// The requested name or index; `nil` for the server's default.
  func name(_ side: AudioDevice.Direction) -> String? {
    guard !request.movedSides.contains(side) else { return nil }
    return side == .sink
      ? request.sinkName ?? chosenSink ?? environment("PULSE_SINK")
      : request.sourceName ?? chosenSource ?? environment("PULSE_SOURCE")
  }

  /// Whether a server's dummy sink may replace the requested device.
  func accepts(dummySink name: String) -> Bool { acceptsDummy ?? true || self.name(.sink) == name }

  /// Connects to the server. Blocks for at most the request's `timeout`.
  func connect(whileWaiting: (() -> Bool)? = nil) throws(HardwareError) -> PulseConnection {
    try PulseConnection(
      server: request.server, applicationName: request.applicationName, timeout: request.timeout,
      whileWaiting: whileWaiting)
  }

  /// Opens the connection and all streams, corked.
  ///
  /// - Parameter isAwaited: Called while the server does not answer, once a second has passed.
  ///   Return false to stop waiting.
  func open(
    _ isAwaited: @escaping (_ whom: String) -> Bool = { _ in true }
  ) throws(HardwareError) -> (PulseLink, HardwareGrant) {
    let begin = monotonicNanoseconds()
    var isWanted = true
    let asking: () -> Bool = {
      // A healthy server answers within milliseconds.
      guard monotonicNanoseconds() - begin > 1_000_000_000 else { return true }
      isWanted = isAwaited("the sound server to answer")
      return isWanted
    }
    let connection: PulseConnection
    do throws(HardwareError) {
      connection = try connect(whileWaiting: asking)
      connection.whileWaiting = nil
    } catch {
      throw isWanted ? error : HardwareError(.cancelled, "the sound server is waited for no longer")
    }
    let playback = try request.wantsOutput ? openPlayback(on: connection) : nil
    let capture = try request.wantsInput ? openCapture(on: connection, playback) : nil
    let rate = playback?.format.sampleRate ?? capture?.format.sampleRate ?? 0
    var grant = HardwareGrant(
      outputFormat: playback?.format, inputFormat: capture?.format,
      ioBufferFrames: HardwareGrant.ioBufferFrames(
        forDuration: request.preferredIOBufferDuration, sampleRate: rate),
      outputName: playback?.device.name ?? "", inputName: capture?.device.name ?? "",
      outputLatency: playback?.latency ?? 0, inputLatency: capture?.latency ?? 0)
    grant.setBuffers(of: playback, capture)
    if let note = HardwareGrant.ioBufferNote(
      forDuration: request.preferredIOBufferDuration, sampleRate: rate)
    {
      grant.notes.append(note)
    }
    for stream in [playback, capture] {
      guard let stream, stream.requestFrames > grant.ioBufferFrames else { continue }
      grant.notes.append(
        "the \(stream.direction.rawValue) moves \(stream.requestFrames) frames at a time at the least"
      )
    }
    if playback?.device.channelCount == 1, request.outputChannels == nil {
      grant.notes.append("the server mixes 2 channels down to the sink's one")
    }
    return (PulseLink(connection: connection, playback: playback, capture: capture), grant)
  }

  /// Opens the loudspeaker side, corked.
  ///
  /// - Parameter takesDefault: Whether the default sink may replace a requested one that is
  ///   missing.
  func openPlayback(
    on connection: PulseConnection, takesDefault: Bool = false
  ) throws(HardwareError) -> PulseStream {
    try open(
      .init(
        direction: .sink, name: request.sinkName, selector: request.sink,
        sampleRate: outputFormat?.sampleRate ?? request.preferredSampleRate,
        keepsRate: outputFormat != nil,
        channels: outputFormat?.channelCount ?? request.outputChannels,
        bufferDuration: request.preferredIOBufferDuration, title: request.streamName,
        isConversation: request.isConversation,
        isThrough: isThrough, acceptsDummy: acceptsDummy),
      takesDefault: takesDefault, on: connection)
  }

  /// Opens the microphone side, corked.
  ///
  /// A session has one rate, the loudspeaker's: the server converts a source with another rate.
  func openCapture(
    on connection: PulseConnection, _ playback: PulseStream?, takesDefault: Bool = false
  ) throws(HardwareError) -> PulseStream {
    let rate = inputFormat?.sampleRate ?? playback?.format.sampleRate
    return try open(
      .init(
        direction: .source, name: request.sourceName, selector: request.source,
        sampleRate: rate ?? request.preferredSampleRate, keepsRate: rate != nil,
        channels: inputFormat?.channelCount ?? request.inputChannels,
        bufferDuration: request.preferredIOBufferDuration, title: request.streamName,
        isConversation: request.isConversation, playedOn: playback?.deviceName,
        isThrough: isThrough, acceptsDummy: acceptsDummy),
      takesDefault: takesDefault, on: connection)
  }

  private func open(
    _ wish: PulseStream.StreamRequest, takesDefault: Bool, on connection: PulseConnection
  ) throws(HardwareError) -> PulseStream {
    do throws(HardwareError) {
      return try PulseStream.open(wish, on: connection)
    } catch {
      guard takesDefault || request.movedSides.contains(wish.direction), error.code == .noSuchDevice
      else { throw error }
      var other = wish
      other.name = nil
      other.selector = nil
      other.ignoresEnvironment = true
      return try PulseStream.open(other, on: connection)
    }
  }
}
