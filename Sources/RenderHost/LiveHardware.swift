import Synchronization

/// A device of a back end that has been opened, and what it lives through.
///
/// A back end only keeps a `log`: what is asked of a device is answered from that.
public protocol LiveHardware: AudioHardware {
  /// What is counted and what happens while it runs. The same one from `open` on.
  var log: HardwareLog { get }

  /// Whether pulls come by a clock. Otherwise they come whenever something else lets them, as fast as
  /// the processor can.
  var keepsTime: Bool { get }

  /// How far the pulls of hardware that keeps no time may go, in frames of the plans from the
  /// beginning: before a slice that ends beyond it they wait, and the event descriptor becomes
  /// readable. `Int.max` from the beginning on. Any thread.
  func allowPulls(upTo frame: Int)
}

extension LiveHardware {
  public var keepsTime: Bool { true }
  public func allowPulls(upTo frame: Int) {}

  /// What ended the run before `stop` did. Any thread.
  public var failure: HardwareError? { log.failure }

  /// How the thread that renders is scheduled, in a few words; empty before `start`. Any thread.
  public var schedulingDescription: String { log.scheduling }

  /// What the device is had to keep more than it was asked for, since it ran dry; `nil` for nothing. Any
  /// thread.
  public var raisedLatency: RaisedLatency? { log.raisedLatency }

  /// What has happened since the last call. Any thread.
  public func takeEvents() -> [HardwareEvent] { log.takeEvents() }

  /// A descriptor that becomes readable when there is a failure or an event: for `poll`. It stays the
  /// hardware's own.
  public var eventDescriptor: Int32 { log.descriptor }

  /// Waits for a failure or an event, for some seconds at the most. Returns whether there was one.
  public func waitForEvent(timeout seconds: Double) -> Bool { log.wait(timeout: seconds) }

  /// Whether an interruption pauses the session until it is over. Otherwise the session plays on, and
  /// a device that has been suspended for 2 s is lost. From the start of the next interruption on; any
  /// thread.
  public var pausesWhenInterrupted: Bool {
    get { log.pausesWhenInterrupted.load(ordering: .relaxed) }
    set { log.pausesWhenInterrupted.store(newValue, ordering: .relaxed) }
  }

  /// What the loss of the device does, from the next loss on; to fail, where nothing is said. Back ends
  /// whose devices cannot come back go by it no further than that. Any thread.
  public var onDeviceLoss: DeviceLossPolicy {
    get { log.onDeviceLoss }
    set { log.onDeviceLoss = newValue }
  }

  /// What has been counted since `open`. Any thread.
  public var statistics: HardwareStatistics { log.statistics }
}
