/// Something that happened to running hardware.
public enum HardwareEvent: Hashable, Sendable {
  /// The server moved a stream to another sink or source, and converts its format.
  case moved(AudioDevice.Direction, to: String)
  /// The device is interrupted for a while.
  case interrupted(HardwareInterruption)
  /// An interruption is over, and the session that was paused for it continues.
  case resumed
  /// The sink or the source disappeared for this reason, and the hardware waits for it.
  case lost(AudioDevice.Direction, HardwareError)
  /// A lost device is back under this name, and the sound fades in.
  case returned(AudioDevice.Direction, as: String)
  /// An underrun of the device, with its cause. Of several within a tenth of a second only the
  /// first is an event.
  case ranDry(Underrun)
  /// Information for the user that changes nothing: a sentence that starts in lower case.
  case noted(String)
  /// The hardware has stopped pulling without a failure, for this reason: a sentence that starts in
  /// lower case.
  case ended(String)
}

/// What interrupts a device for a while.
public enum HardwareInterruption: Hashable, Sendable {
  /// A user, or another program, has suspended the sink or the source.
  case suspended(AudioDevice.Direction)
  /// The server asks for silence, as PulseAudio's `module-role-cork` does for the length of a call.
  case asked
}

/// Counters of the hardware since it was opened.
public struct HardwareStatistics: Hashable, Sendable {
  /// The number of times that the sink ran dry, or took nothing in time, while the graph was
  /// running.
  public var underruns = 0
  /// The underruns by cause.
  public var underrunCauses: [UnderrunCause: Int] = [:]
  /// Deliveries of the source that did not fit completely.
  public var overruns = 0
  /// Frames lost by underruns and overruns, as far as the back end knows.
  public var droppedFrames = 0
  /// Frames that the source lacked, replaced by silence.
  public var missingFrames = 0
  /// The number of times that a device was lost and waited for.
  public var losses = 0
  /// Frames that the sink has requested.
  public var requestedFrames = 0
  /// Frames that the source has delivered.
  public var capturedFrames = 0
  /// Blocks handed to the sink.
  public var writeCount = 0
  /// Blocks taken from the source.
  public var readCount = 0
  /// The latency from the render to the loudspeaker, as last measured, in seconds.
  public var outputLatency = 0.0
  /// The latency from the microphone to the render, as last measured, in seconds.
  public var inputLatency = 0.0

  public init() {}
}
