public import AudioTypes

/// What a session asks a back end for. Each is a request: `HardwareGrant` is the answer.
public struct HardwareRequest: Hashable, Sendable {
  /// Whether there is a loudspeaker side.
  public var wantsOutput: Bool
  /// Whether there is a microphone side.
  public var wantsInput: Bool
  /// The rate of the session in Hz; `nil` for the rate that the sink runs at.
  public var preferredSampleRate: Double?
  /// How long an I/O buffer should last, in seconds; `nil` for 1024 frames.
  public var preferredIOBufferDuration: Double?
  /// The sink, by name or index; `nil` leaves it to the environment (`PULSE_SINK`) and to the
  /// back end's default.
  public var sinkName: String?
  /// The source, by name or index; `nil` leaves it to the environment (`PULSE_SOURCE`) and to the
  /// back end's default.
  public var sourceName: String?
  /// The sides whose device is where the server has moved the sound, and not what somebody has asked
  /// for: where it goes, another will do.
  public var movedSides: Set<AudioDevice.Direction> = []
  /// Which sink, where `sinkName` says nothing; `nil` for any.
  public var sink: DeviceSelector?
  /// Which source, where `sourceName` says nothing; `nil` for any.
  public var source: DeviceSelector?
  /// Channels of the loudspeaker side; `nil` for those of the sink.
  public var outputChannels: Int?
  /// Channels of the microphone side; `nil` for those of the source.
  public var inputChannels: Int?
  /// What the server's mixer calls the program.
  public var applicationName: String
  /// What the server's mixer calls the sound: the title of the patch.
  public var streamName: String
  /// The server's address; `nil` leaves it to the environment (`PULSE_SERVER`) and to the back end.
  public var server: String?
  /// How long the server may take to answer, in seconds. While the graph is running, one that moves
  /// nothing for twice as long counts as gone.
  public var timeout: Double
  /// Whether the sound is a conversation, for which others are to be quieter: the streams then have
  /// the role `phone`, by which the server's `module-role-ducking` goes.
  public var isConversation: Bool
  /// What only some back ends know of, by key; each says which it takes.
  public var options: [String: String]

  public init(
    wantsOutput: Bool = true, wantsInput: Bool = false, preferredSampleRate: Double? = nil,
    preferredIOBufferDuration: Double? = nil, sinkName: String? = nil, sourceName: String? = nil,
    sink: DeviceSelector? = nil, source: DeviceSelector? = nil,
    outputChannels: Int? = nil, inputChannels: Int? = nil, applicationName: String = "patchrun",
    streamName: String = "audio graph", server: String? = nil, timeout: Double = 5,
    isConversation: Bool = false, options: [String: String] = [:]
  ) {
    self.wantsOutput = wantsOutput
    self.wantsInput = wantsInput
    self.preferredSampleRate = preferredSampleRate
    self.preferredIOBufferDuration = preferredIOBufferDuration
    self.sinkName = sinkName
    self.sourceName = sourceName
    self.sink = sink
    self.source = source
    self.outputChannels = outputChannels
    self.inputChannels = inputChannels
    self.applicationName = applicationName
    self.streamName = streamName
    self.server = server
    self.timeout = timeout
    self.isConversation = isConversation
    self.options = options
  }

  /// What a session of a category asks for: the sides that it permits.
  public init(
    for category: SessionCategory, preferredSampleRate: Double? = nil,
    preferredIOBufferDuration: Double? = nil
  ) {
    self.init(
      wantsOutput: category.permitsOutput, wantsInput: category.permitsInput,
      preferredSampleRate: preferredSampleRate,
      preferredIOBufferDuration: preferredIOBufferDuration)
  }
}
