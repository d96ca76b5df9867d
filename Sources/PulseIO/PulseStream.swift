import AudioTypes
import CPulse
import RenderHost

/// A stream to a sink or from a source, with float samples; corked at first.
@safe
final class PulseStream {
  let handle: OpaquePointer
  private var isClosed = false
  let direction: AudioDevice.Direction
  /// The device that it was connected to.
  let device: AudioDevice
  let format: StreamFormat
  /// The frames that the server buffers for a playback stream, or collects for a record stream.
  let bufferFrames: Int
  /// The frames of one request or delivery of the server.
  let requestFrames: Int
  /// The buffer requested from the server.
  private let asked: Buffer
  private static let mostSlices = 6
  /// The latency of the device itself, in seconds.
  let deviceLatency: Double

  var bytesPerFrame: Int { Int(format.bytesPerFrame) }

  /// The whole latency, in seconds.
  var latency: Double { Double(bufferFrames) / format.sampleRate + deviceLatency }

  /// What the server granted when the stream was opened.
  var grantedBuffer: StreamBuffer {
    StreamBuffer(
      frames: bufferFrames, requestFrames: requestFrames, deviceLatency: deviceLatency)
  }

  /// The name of the current device, which the server may have changed.
  var deviceName: String { unsafe text(pa_stream_get_device_name(handle)) }

  var isGood: Bool { unsafe PA_STREAM_IS_GOOD(pa_stream_get_state(handle)) != 0 }

  /// Whether the device is suspended: an idle one is until it is used, another one because a user
  /// suspended it.
  var isSuspended: Bool { unsafe pa_stream_is_suspended(handle) > 0 }

  private init(
    handle: OpaquePointer, device: AudioDevice, format: StreamFormat, bufferFrames: Int,
    requestFrames: Int, deviceLatency: Double, asked: Buffer
  ) {
    self.asked = asked
    unsafe self.handle = handle
    direction = device.direction
    self.device = device
    self.format = format
    self.bufferFrames = bufferFrames
    self.requestFrames = requestFrames
    self.deviceLatency = deviceLatency
  }

  deinit {
    close()
    unsafe pa_stream_unref(handle)
  }

  /// Disconnects the stream, even while others hold it: no callback is called any more.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    unsafe pa_stream_set_write_callback(handle, nil, nil)
    unsafe pa_stream_set_read_callback(handle, nil, nil)
    unsafe pa_stream_set_underflow_callback(handle, nil, nil)
    unsafe pa_stream_set_moved_callback(handle, nil, nil)
    unsafe pa_stream_set_event_callback(handle, nil, nil)
    unsafe pa_stream_disconnect(handle)
  }

  /// Stops or starts the stream.
  func cork(_ isCorked: Bool) {
    guard let operation = unsafe pa_stream_cork(handle, isCorked ? 1 : 0, nil, nil) else { return }
    unsafe pa_operation_unref(operation)
  }

  // MARK: Opening

  /// The request for a stream.
  struct StreamRequest {
    var direction: AudioDevice.Direction
    var name: String?
    /// Selects the device where `name` is `nil`.
    var selector: DeviceSelector?
    var sampleRate: Double?
    /// Whether the stream keeps its rate on a device with another one.
    var keepsRate = false
    var channels: Int?
    var bufferDuration: Double?
    var title: String
    var isConversation = false
    /// The sink that the session plays on: its monitor is only recorded where it is named.
    var playedOn: String?
    /// Whether the loudspeaker plays the microphone. The latency should be short then: the buffer
    /// starts short and grows after underruns.
    var isThrough = false
    /// Whether to ignore the environment's device names.
    var ignoresEnvironment = false
    /// Whether a server's dummy sink is accepted like any other sink; `nil` to accept that of
    /// PulseAudio and to refuse that of PipeWire.
    var acceptsDummy: Bool?
  }

  /// Connects a stream, corked, and reads back its properties.
  ///
  /// A server may or may not switch a sink to the rate of its first stream. So the stream is
  /// connected at the requested rate. If the device then runs at another rate, the stream is
  /// connected again at that rate, so that the server does not resample.
  static func open(
    _ request: StreamRequest, on connection: PulseConnection
  ) throws(HardwareError) -> PulseStream {
    let devices = try connection.devices()
    let variable = request.direction == .sink ? "PULSE_SINK" : "PULSE_SOURCE"
    let named = request.ignoresEnvironment ? nil : environment(variable)
    var request = request
    if request.name == nil, let selector = request.selector {
      request.name = try Self.name(selector, request, among: devices)
    }
    let name = request.name ?? named
    let candidates = try Self.candidates(
      for: request, named: name, among: devices,
      acceptsDummy: request.acceptsDummy ?? !connection.isPipeWire)
    let expected =
      if let name { candidates.first { $0.answers(to: name) } } else {
        candidates.first { $0.isDefault }
      }
    // The server resolves names such as "@DEFAULT_SINK@".
    if let name, expected == nil, !name.hasPrefix("@") {
      throw .noSuchDevice(name, request.direction, among: devices)
    }
    // Without a name the server would take its default, which may not be wanted.
    if name == nil, expected == nil || request.ignoresEnvironment {
      request.name = (expected ?? candidates[0]).name
    }
    var rate = request.sampleRate ?? expected?.sampleRate ?? 48_000
    var layout = expected ?? candidates[0]
    for _ in 0..<3 {
      let stream = try connect(
        request, sampleRate: rate, channels: request.channels ?? Self.channelCount(on: layout),
        layout: layout, among: devices, on: connection)
      let hasRate = request.keepsRate || stream.device.sampleRate == rate
      let hasChannels =
        request.channels != nil
        || Self.channelCount(on: stream.device) == stream.format.channelCount
      if hasRate && hasChannels { return stream }
      if !hasRate { rate = stream.device.sampleRate }
      layout = stream.device
    }
    // The device changed each time: accept it, and let the server resample.
    return try connect(
      request, sampleRate: rate, channels: request.channels ?? Self.channelCount(on: layout),
      layout: layout, among: devices, on: connection)
  }

  /// The name of the device that a selector selects.
  private static func name(
    _ selector: DeviceSelector, _ request: StreamRequest, among devices: [AudioDevice]
  ) throws(HardwareError) -> String {
    if let name = selector.exactName { return name }
    // The monitor of the sink that is played on is the last choice.
    let others = devices.filter { request.playedOn == nil || $0.monitorOf != request.playedOn }
    guard
      let device = selector.device(request.direction, among: others)
        ?? selector.device(request.direction, among: devices)
    else { throw .noSuchDevice(selector, request.direction, among: devices) }
    return device.name
  }

  /// The devices that may be used. A named device always may.
  private static func candidates(
    for request: StreamRequest, named name: String?, among devices: [AudioDevice],
    acceptsDummy: Bool
  ) throws(HardwareError) -> [AudioDevice] {
    let all = devices.filter { $0.direction == request.direction }
    guard !all.isEmpty else { throw .noDevice(request.direction) }
    guard name == nil else { return all }
    let wanted = all.filter { device in
      (acceptsDummy || !device.isDummySink)
        && (request.playedOn == nil || device.monitorOf != request.playedOn)
    }
    guard wanted.isEmpty else { return wanted }
    let monitor = all.first { $0.monitorOf != nil && $0.monitorOf == request.playedOn }
    throw request.direction == .sink
      ? .dummySinkOnly() : monitor.map { .monitorOnly($0) } ?? .noDevice(.source)
  }

  /// The channels of a stream for a device. A mono sink gets two, which the server mixes down:
  /// otherwise half of a stereo patch would not be heard.
  static func channelCount(on device: AudioDevice) -> Int {
    device.direction == .sink && device.channelCount == 1 ? 2 : device.channelCount
  }

  private static func connect(
    _ request: StreamRequest, sampleRate: Double, channels: Int, layout: AudioDevice,
    among: [AudioDevice],
    on connection: PulseConnection
  ) throws(HardwareError) -> PulseStream {
    var spec = pa_sample_spec(
      format: PA_SAMPLE_FLOAT32LE, rate: UInt32(clamping: Int(sampleRate.rounded())),
      channels: UInt8(clamping: channels))
    guard sampleRate > 0, channels > 0, unsafe pa_sample_spec_valid(&spec) != 0 else {
      throw HardwareError(
        .formatNotSupported,
        "the sound server takes no stream of \(channels) channels at \(sampleRate) Hz",
        help: "it takes 1 to 32 channels, and rates up to 768,000 Hz")
    }
    var map = pa_channel_map()
    let positions = layout.channelMap.joined(separator: ",")
    let isKnown = unsafe pa_channel_map_parse(&map, positions) != nil
    if !isKnown || layout.channelCount != channels {
      unsafe pa_channel_map_init_extend(&map, UInt32(channels), PA_CHANNEL_MAP_DEFAULT)
    }
    let properties = unsafe pa_proplist_new()
    unsafe pa_proplist_sets(properties, PA_PROP_MEDIA_NAME, request.title)
    unsafe pa_proplist_sets(
      properties, PA_PROP_MEDIA_ROLE, request.isConversation ? "phone" : "production")
    let handle = unsafe pa_stream_new_with_proplist(
      connection.context, request.title, &spec, &map, properties)
    unsafe pa_proplist_free(properties)
    guard let handle = unsafe handle else {
      throw HardwareError(
        .formatNotSupported, "cannot make a stream (\(connection.lastMessage))")
    }
    let isOpen =
      unsafe begin(handle, request, spec) >= 0
      && connection.wait {
        let state = unsafe pa_stream_get_state(handle)
        return state != PA_STREAM_CREATING && state != PA_STREAM_UNCONNECTED
      }
    guard isOpen, unsafe pa_stream_get_state(handle) == PA_STREAM_READY else {
      let code = connection.lastError
      let reason = connection.lastMessage
      unsafe pa_stream_disconnect(handle)
      unsafe pa_stream_unref(handle)
      guard connection.isGood else { throw .connectionLost(reason) }
      if !isOpen { connection.abandon() }
      guard code != PA_ERR_NOENTITY else {
        throw .noSuchDevice(request.name, request.direction, among: among)
      }
      throw HardwareError(
        .systemError,
        "the sound server gives no stream to the \(request.direction.rawValue) "
          + "(\(isOpen ? reason : pulseMessage(Int32(PA_ERR_TIMEOUT.rawValue))))")
    }
    unsafe connection.finish(pa_stream_update_timing_info(handle, nil, nil))
    return try unsafe describe(handle, request, channels, on: connection)
  }

  private static func begin(
    _ handle: OpaquePointer, _ request: StreamRequest, _ spec: pa_sample_spec
  ) -> Int32 {
    let frames = HardwareGrant.ioBufferFrames(
      forDuration: request.bufferDuration, sampleRate: Double(spec.rate))
    var attributes = Buffer(request, slice: frames, sampleRate: Double(spec.rate))
      .attributes(bytesPerFrame: Int(spec.channels) * 4)
    let flags = pa_stream_flags_t(
      rawValue: PA_STREAM_START_CORKED.rawValue | PA_STREAM_ADJUST_LATENCY.rawValue
        | PA_STREAM_AUTO_TIMING_UPDATE.rawValue | PA_STREAM_INTERPOLATE_TIMING.rawValue)
    return request.direction == .sink
      ? unsafe pa_stream_connect_playback(handle, request.name, &attributes, flags, nil, nil)
      : unsafe pa_stream_connect_record(handle, request.name, &attributes, flags)
  }

  /// In frames: the playback buffer to request from the server, with the latency of its device, and
  /// the size of a request or a delivery.
  private struct Buffer {
    var kept: Int
    var portion: Int
    /// The frames of an I/O buffer.
    let slice: Int

    /// - Parameter slice: The frames of an I/O buffer.
    init(_ request: StreamRequest, slice: Int, sampleRate: Double) {
      self.slice = slice
      guard request.isThrough else {
        kept = 4 * slice
        portion = request.direction == .sink ? slice / 2 : slice
        return
      }
      // One slice, which is what other programs request at such a latency; for short slices two,
      // but at most 17 ms, for which a machine may be busy with other work.
      kept = max(slice, min(2 * slice, Int(sampleRate / 60)))
      portion = max(16, kept / 4)
    }

    /// The server divides `tlength` into twice `minreq` and two equal rests: one for its own
    /// buffer, one for the latency of the device.
    func attributes(bytesPerFrame: Int) -> pa_buffer_attr {
      pa_buffer_attr(
        maxlength: .max, tlength: UInt32(kept * bytesPerFrame), prebuf: .max,
        minreq: UInt32(portion * bytesPerFrame), fragsize: UInt32(portion * bytesPerFrame))
    }
  }

  /// The requested playback buffer, in frames.
  var askedFrames: Int { asked.kept }

  /// The buffer that server and device have granted, in seconds. The server answers a change some
  /// time after the request.
  var grantedLatency: Double {
    guard let attributes = unsafe pa_stream_get_buffer_attr(handle),
      let timing = unsafe pa_stream_get_timing_info(handle)
    else { return latency }
    return unsafe Double(Int(attributes.pointee.tlength) / bytesPerFrame) / format.sampleRate
      + Double(timing.pointee.configured_sink_usec) / 1e6
  }

  /// The most slices that may be added to the requested buffer.
  var mostSlicesMore: Int {
    max(0, (Self.mostSlices * asked.slice - asked.kept + asked.slice - 1) / asked.slice)
  }

  /// Requests a playback buffer that is longer than the first one by `count` slices.
  ///
  /// Frames in the buffer stay. Where it gets shorter, the server requests no frames until they
  /// fit.
  func setReserve(slices count: Int) {
    guard direction == .sink else { return }
    var buffer = asked
    if count > 0 {
      buffer.kept += count * asked.slice
      buffer.portion = max(1, asked.slice / 2)
    }
    var attributes = buffer.attributes(bytesPerFrame: bytesPerFrame)
    guard let operation = unsafe pa_stream_set_buffer_attr(handle, &attributes, nil, nil) else {
      return
    }
    unsafe pa_operation_unref(operation)
  }

  private static func describe(
    _ handle: OpaquePointer, _ request: StreamRequest, _ channels: Int,
    on connection: PulseConnection
  ) throws(HardwareError) -> PulseStream {
    let index = unsafe pa_stream_get_device_index(handle)
    let device: AudioDevice
    do throws(HardwareError) {
      let found = try connection.devices().first {
        $0.direction == request.direction && $0.index == index
      }
      guard let found else { throw .noDevice(request.direction) }
      device = found
    } catch {
      unsafe pa_stream_disconnect(handle)
      unsafe pa_stream_unref(handle)
      throw error
    }
    let spec = unsafe pa_stream_get_sample_spec(handle)!.pointee
    let format = StreamFormat(
      .float32, channels: Int(spec.channels), sampleRate: Double(spec.rate), interleaved: true)
    let attributes = unsafe pa_stream_get_buffer_attr(handle)!.pointee
    let bytes = request.direction == .sink ? attributes.tlength : attributes.fragsize
    var latency = 0.0
    if let timing = unsafe pa_stream_get_timing_info(handle) {
      latency =
        unsafe Double(
          request.direction == .sink
            ? timing.pointee.configured_sink_usec : timing.pointee.configured_source_usec) / 1e6
    }
    return unsafe PulseStream(
      handle: handle, device: device, format: format,
      bufferFrames: Int(bytes) / Int(format.bytesPerFrame),
      requestFrames: Int(request.direction == .sink ? attributes.minreq : attributes.fragsize)
        / Int(format.bytesPerFrame), deviceLatency: latency,
      asked: Buffer(
        request,
        slice: HardwareGrant.ioBufferFrames(
          forDuration: request.bufferDuration, sampleRate: format.sampleRate),
        sampleRate: format.sampleRate))
  }
}

extension HardwareGrant {
  /// Sets the buffers that the server has granted to the streams.
  mutating func setBuffers(of playback: PulseStream?, _ capture: PulseStream?) {
    outputBuffer = playback?.grantedBuffer
    inputBuffer = capture?.grantedBuffer
  }
}
