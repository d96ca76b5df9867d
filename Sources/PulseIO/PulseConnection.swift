import CPulse
import RenderHost

/// A connection to a server with its main loop. Used by one thread at a time, which runs the loop.
@safe
final class PulseConnection {
  private let mainloop: OpaquePointer
  let context: OpaquePointer
  /// How long the server may take for an answer, in seconds.
  private let timeout: Double
  /// Called some 200 times a second while the connection waits for the server. Return false to stop
  /// waiting.
  var whileWaiting: (() -> Bool)?
  private var isAbandoned = false
  /// The name of the server, once its devices have been listed.
  private(set) var serverName = ""
  /// Whether the server is PipeWire.
  var isPipeWire: Bool { serverName.contains("PipeWire") }

  /// Connects within `timeout`, or throws. Does not start a server: nobody expects a command to
  /// start a daemon, and one that hangs would be worse.
  init(
    server: String?, applicationName: String, timeout: Double = 5,
    whileWaiting: (() -> Bool)? = nil
  ) throws(HardwareError) {
    if let reason = unsafe cpulse_load() { throw unsafe .noLibrary(String(cString: reason)) }
    guard let mainloop = unsafe pa_mainloop_new() else {
      throw HardwareError(.systemError, "cannot make a main loop for the sound server")
    }
    let properties = unsafe pa_proplist_new()
    unsafe pa_proplist_sets(properties, PA_PROP_APPLICATION_NAME, applicationName)
    let context = unsafe pa_context_new_with_proplist(
      pa_mainloop_get_api(mainloop), applicationName, properties)
    unsafe pa_proplist_free(properties)
    guard let context = unsafe context else {
      unsafe pa_mainloop_free(mainloop)
      throw HardwareError(.systemError, "cannot prepare a connection to the sound server")
    }
    self.timeout = timeout
    self.whileWaiting = whileWaiting
    unsafe self.mainloop = mainloop
    unsafe self.context = context
    let begun = unsafe pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil)
    let answered =
      begun >= 0
      && wait { unsafe pa_context_get_state(context) == PA_CONTEXT_READY || !isGood }
    guard answered, isGood else {
      let error = answered || begun < 0 ? lastError : PA_ERR_TIMEOUT
      throw .noServer(error, address: server)
    }
  }

  deinit {
    unsafe pa_context_disconnect(context)
    unsafe pa_context_unref(context)
    unsafe pa_mainloop_free(mainloop)
  }

  /// Whether the connection is still up, as far as libpulse knows.
  var isGood: Bool { unsafe PA_CONTEXT_IS_GOOD(pa_context_get_state(context)) != 0 }

  var lastError: pa_error_code_t {
    pa_error_code_t(rawValue: UInt32(bitPattern: unsafe pa_context_errno(context)))
  }

  var lastMessage: String {
    isAbandoned ? "it gave no stream in time" : unsafe pulseMessage(pa_context_errno(context))
  }

  /// Closes the connection after the server has not answered a request for a stream. The server may
  /// still make the stream, and only the end of the connection would end it.
  func abandon() {
    isAbandoned = true
    unsafe pa_context_disconnect(context)
  }

  /// Handles the events that have arrived, after waiting for them for at most `seconds`.
  ///
  /// - Parameter watch: Notified of the wait.
  @discardableResult
  func iterate(atMost seconds: Double, watch: UnderrunWatch? = nil) -> Bool {
    let timeout = Int32(max(0, min(seconds, 60)) * 1e6)
    guard unsafe pa_mainloop_prepare(mainloop, timeout) >= 0 else { return false }
    watch?.willSleep(atMost: seconds)
    guard unsafe pa_mainloop_poll(mainloop) >= 0 else { return false }
    watch?.hasWoken()
    return unsafe pa_mainloop_dispatch(mainloop) >= 0
  }

  /// Runs the loop until `condition` holds, or for `limit` seconds (the default is `timeout`).
  /// Returns whether it holds.
  func wait(_ limit: Double? = nil, until condition: () -> Bool) -> Bool {
    let seconds = limit ?? timeout
    let begin = monotonicNanoseconds()
    while !condition() {
      let rest = seconds - Double(monotonicNanoseconds() - begin) / 1e9
      guard rest > 0, iterate(atMost: min(rest, whileWaiting == nil ? 0.1 : 0.005)) else {
        return condition()
      }
      if let whileWaiting, !whileWaiting() { return condition() }
    }
    return true
  }

  /// Waits for an operation, and releases it. Returns whether it was done in time.
  @discardableResult
  func finish(_ operation: OpaquePointer?, within limit: Double? = nil) -> Bool {
    guard let operation = unsafe operation else { return false }
    let ended = wait(limit) {
      unsafe pa_operation_get_state(operation) != PA_OPERATION_RUNNING || !isGood
    }
    let isDone = unsafe pa_operation_get_state(operation) == PA_OPERATION_DONE
    if !ended { unsafe pa_operation_cancel(operation) }
    unsafe pa_operation_unref(operation)
    return isDone
  }

  // MARK: Devices

  /// Collects the answers of a listing.
  private final class Listing {
    var devices: [AudioDevice] = []
    var defaultSink: String?
    var defaultSource: String?
    var serverName = ""

    static func from(_ context: UnsafeMutableRawPointer?) -> Listing {
      unsafe Unmanaged<Listing>.fromOpaque(context!).takeUnretainedValue()
    }
  }

  /// All sinks, then all sources, in the server's order.
  func devices() throws(HardwareError) -> [AudioDevice] {
    let listing = Listing()
    let user = unsafe Unmanaged.passUnretained(listing).toOpaque()
    let isComplete =
      unsafe finish(
        pa_context_get_server_info(
          context,
          { _, info, user in
            guard let info = unsafe info else { return }
            let listing = unsafe Listing.from(user)
            unsafe listing.defaultSink = text(info.pointee.default_sink_name)
            unsafe listing.defaultSource = text(info.pointee.default_source_name)
            unsafe listing.serverName = text(info.pointee.server_name)
          }, user))
      && finish(
        pa_context_get_sink_info_list(
          context,
          { _, info, end, user in
            guard end == 0, let info = unsafe info else { return }
            let listing = unsafe Listing.from(user)
            let isDefault = unsafe text(info.pointee.name) == listing.defaultSink
            unsafe listing.devices.append(AudioDevice(info.pointee, isDefault: isDefault))
          }, user))
      && finish(
        pa_context_get_source_info_list(
          context,
          { _, info, end, user in
            guard end == 0, let info = unsafe info else { return }
            let listing = unsafe Listing.from(user)
            let isDefault = unsafe text(info.pointee.name) == listing.defaultSource
            unsafe listing.devices.append(AudioDevice(info.pointee, isDefault: isDefault))
          }, user))
    guard isComplete else {
      throw isGood
        ? HardwareError(.systemError, "the sound server does not list its devices (\(lastMessage))")
        : .connectionLost(lastMessage)
    }
    serverName = listing.serverName
    return listing.devices
  }
}

/// Copies a C string; "" for a null pointer.
func text(_ string: UnsafePointer<CChar>?) -> String {
  guard let string = unsafe string else { return "" }
  return unsafe String(cString: string)
}
