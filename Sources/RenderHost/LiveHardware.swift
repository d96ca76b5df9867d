import Synchronization

/// An open device of a back end, with its counters and events.
///
/// A back end only keeps a `log`; the properties below read it.
public protocol LiveHardware: AudioHardware {
  /// The counters and events. The same object from `open` on.
  var log: HardwareLog { get }

  /// Whether a clock times the pulls. Otherwise they come as fast as the processor and the other
  /// end allow.
  var keepsTime: Bool { get }

  /// Lets hardware that keeps no time pull up to a frame, counted in frames of the plans from the
  /// beginning. Before a slice that would end after that frame the hardware waits, and makes the
  /// event descriptor readable. `Int.max`, the initial value, means no limit. Any thread.
  func allowPulls(upTo frame: Int)
}

extension LiveHardware {
  public var keepsTime: Bool { true }
  public func allowPulls(upTo frame: Int) {}

  /// The failure that ended the run; `nil` for none. Any thread.
  public var failure: HardwareError? { log.failure }

  /// How the render thread is scheduled, in a few words; empty before `start`. Any thread.
  public var schedulingDescription: String { log.scheduling }

  /// The playback latency after the device has raised it because of underruns; `nil` where it has
  /// not. Any thread.
  public var raisedLatency: RaisedLatency? { log.raisedLatency }

  /// The events since the last call. Any thread.
  public func takeEvents() -> [HardwareEvent] { log.takeEvents() }

  /// A descriptor that becomes readable when there is a failure or an event: for `poll`. The
  /// hardware owns it.
  public var eventDescriptor: Int32 { log.descriptor }

  /// Waits for a failure or an event, at most this many seconds. Returns whether there was one.
  public func waitForEvent(timeout seconds: Double) -> Bool { log.wait(timeout: seconds) }

  /// Whether an interruption pauses the session until it is over. Otherwise the session plays on,
  /// and a device that has been suspended for 2 s counts as lost. A change applies from the next
  /// interruption on. Any thread.
  public var pausesWhenInterrupted: Bool {
    get { log.pausesWhenInterrupted.load(ordering: .relaxed) }
    set { log.pausesWhenInterrupted.store(newValue, ordering: .relaxed) }
  }

  /// What the loss of a device does; by default the run fails. A change applies from the next loss
  /// on. Back ends whose devices cannot come back always fail. Any thread.
  public var onDeviceLoss: DeviceLossPolicy {
    get { log.onDeviceLoss }
    set { log.onDeviceLoss = newValue }
  }

  /// The counters since `open`. Any thread.
  public var statistics: HardwareStatistics { log.statistics }
}
