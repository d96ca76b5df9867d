/// Something that running hardware lived through.
public enum HardwareEvent: Hashable, Sendable {
  /// A stream was moved to another sink or source, which the server now converts for.
  case moved(AudioDevice.Direction, to: String)
  /// The device was taken away for a while.
  case interrupted(HardwareInterruption)
  /// The session has been paused for that, and goes on.
  case resumed
  /// The sink or the source is not there, and is waited for: why.
  case lost(AudioDevice.Direction, HardwareError)
  /// One that was waited for is there, under this name, and the sound fades in.
  case returned(AudioDevice.Direction, as: String)
  /// The device had to play what was not there: why. Not each one of many in a moment has an event.
  case ranDry(Underrun)
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
  /// How many of them have which cause.
  public var underrunCauses: [UnderrunCause: Int] = [:]
  /// Deliveries of the source of which a part found no room.
  public var overruns = 0
  /// Frames that were lost in one of these ways, as far as the back end knows how many.
  public var droppedFrames = 0
  /// Frames that the source did not have, and that were silence.
  public var missingFrames = 0
  /// Times that a device went and was waited for.
  public var losses = 0
  /// Frames that the sink has asked for.
  public var requestedFrames = 0
  /// Frames that the source has delivered.
  public var capturedFrames = 0
  /// Blocks handed to the sink, and taken from the source.
  public var writeCount = 0
  /// Blocks taken from the source.
  public var readCount = 0
  /// From the render to the loudspeaker, as last measured, in seconds.
  public var outputLatency = 0.0
  /// From the microphone to the render, as last measured, in seconds.
  public var inputLatency = 0.0

  public init() {}
}
