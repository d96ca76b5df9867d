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

  /// What has been counted since `open`. Any thread.
  public var statistics: HardwareStatistics { log.statistics }
}

/// Something that running hardware lived through.
public enum HardwareEvent: Hashable, Sendable {
  /// A stream was moved to another sink or source, which the server now converts for.
  case moved(AudioDevice.Direction, to: String)
  /// The device was taken away for a while.
  case interrupted(HardwareInterruption)
  /// The session has been paused for that, and goes on.
  case resumed
  /// What a person wants to know, and what changes nothing: a sentence that starts in lower case.
  case noted(String)
  /// It pulls no more, and nothing has failed: why, as a sentence that starts in lower case.
  case ended(String)
}

/// What takes the device away from a graph for a while.
public enum HardwareInterruption: Hashable, Sendable {
  /// A user, or another program, has suspended the sink or the source.
  case suspended(AudioDevice.Direction)
  /// The server asks for silence, as PulseAudio's `module-role-cork` does for the length of a call.
  case asked
}

/// What a device asked for and what went wrong on the way, since the hardware was opened.
public struct HardwareStatistics: Hashable, Sendable {
  /// Times that the sink ran dry, or took nothing in time, while the graph was running.
  public var underruns = 0
  /// Deliveries of the source of which a part found no room.
  public var overruns = 0
  /// Frames that were lost in one of these ways, as far as the back end knows how many.
  public var droppedFrames = 0
  /// Frames that the source did not have, and that were silence.
  public var missingFrames = 0
  /// Frames that the sink has asked for.
  public var requestedFrames = 0
  /// Frames that the source has delivered.
  public var capturedFrames = 0
  /// Blocks handed to the sink, and taken from the source.
  public var writeCount = 0
  public var readCount = 0
  /// From the render to the loudspeaker, as last measured, in seconds.
  public var outputLatency = 0.0
  /// From the microphone to the render, as last measured, in seconds.
  public var inputLatency = 0.0

  public init() {}
}
