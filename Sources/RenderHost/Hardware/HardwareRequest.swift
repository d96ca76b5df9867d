public import AudioTypes

/// A session's request to a back end; `HardwareGrant` is the answer.
public struct HardwareRequest: Hashable, Sendable {
  /// Whether there is a loudspeaker side.
  public var wantsOutput: Bool
  /// Whether there is a microphone side.
  public var wantsInput: Bool
  /// The rate of the session in Hz; `nil` for the rate of the sink.
  public var preferredSampleRate: Double?
  /// The preferred duration of an I/O buffer, in seconds; `nil` for 1024 frames.
  public var preferredIOBufferDuration: Double?
  /// The sink, by name or index; `nil` for that of the environment (`PULSE_SINK`) or the back end's
  /// default.
  public var sinkName: String?
  /// The source, by name or index; `nil` for that of the environment (`PULSE_SOURCE`) or the back
  /// end's default.
  public var sourceName: String?
  /// The sides whose device was not requested but chosen by the server when it moved the stream:
  /// another device may replace it when it is lost.
  public var movedSides: Set<AudioDevice.Direction> = []
  /// Selects the sink where `sinkName` is `nil`; `nil` for any.
  public var sink: DeviceSelector?
  /// Selects the source where `sourceName` is `nil`; `nil` for any.
  public var source: DeviceSelector?
  /// The channels of the loudspeaker side; `nil` for those of the sink.
  public var outputChannels: Int?
  /// The channels of the microphone side; `nil` for those of the source.
  public var inputChannels: Int?
  /// The program's name in the server's mixer.
  public var applicationName: String
  /// The stream's name in the server's mixer: the title of the patch.
  public var streamName: String
  /// The server's address; `nil` for that of the environment (`PULSE_SERVER`) or the back end's
  /// default.
  public var server: String?
  /// The seconds that the server may take to answer. A running server that moves no frames for
  /// twice as long counts as lost.
  public var timeout: Double
  /// Whether the sound is a conversation that other streams should be quieter for: the streams get
  /// the role `phone`, which the server's `module-role-ducking` looks for.
  public var isConversation: Bool
  /// Options of single back ends, by key; each back end documents its own.
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

  /// The sides that a session category permits.
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
