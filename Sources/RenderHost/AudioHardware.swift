public import AudioTypes

/// What a device has granted: the answer to a `HardwareRequest`.
public struct HardwareGrant: Hashable, Sendable {
  /// The format that the loudspeaker side takes: interleaved linear PCM. `nil` where there is none.
  public var outputFormat: StreamFormat?
  /// The format that the microphone side delivers: interleaved linear PCM. `nil` where there is
  /// none.
  public var inputFormat: StreamFormat?
  /// The most frames that one pull asks for: the largest slice.
  public var ioBufferFrames: Int
  /// The name of the sink, in the server's words; empty where there is none.
  public var outputName: String
  /// The name of the source, in the server's words; empty where there is none.
  public var inputName: String
  /// The latency from the render to the loudspeaker, in seconds.
  public var outputLatency: Double
  /// The latency from the microphone to the render, in seconds.
  public var inputLatency: Double
  /// The server's buffer of the playback stream; `nil` where there is none, or the back end does not
  /// know.
  public var outputBuffer: StreamBuffer?
  /// The server's buffer of the record stream; `nil` where there is none, or the back end does not
  /// know.
  public var inputBuffer: StreamBuffer?
  /// Unexpected differences from the request, for users: each a few words that start in lower case.
  public var notes: [String] = []

  public init(
    outputFormat: StreamFormat?, inputFormat: StreamFormat?, ioBufferFrames: Int,
    outputName: String = "", inputName: String = "", outputLatency: Double = 0,
    inputLatency: Double = 0
  ) {
    self.outputFormat = outputFormat
    self.inputFormat = inputFormat
    self.ioBufferFrames = ioBufferFrames
    self.outputName = outputName
    self.inputName = inputName
    self.outputLatency = outputLatency
    self.inputLatency = inputLatency
  }

  /// The rate of the session, in Hz: that of the loudspeaker side, or else of the microphone side;
  /// 0 without a side.
  public var sampleRate: Double { outputFormat?.sampleRate ?? inputFormat?.sampleRate ?? 0 }

  /// The range of frames of an I/O buffer.
  public static let ioBufferLimits = 64...4096

  /// Why the I/O buffer differs from a preferred duration that is outside of the limits; `nil` for
  /// none. Rounding up to a power of two needs no note.
  public static func ioBufferNote(forDuration duration: Double?, sampleRate: Double) -> String? {
    guard let duration, duration > 0, sampleRate > 0 else { return nil }
    let wanted = duration * sampleRate
    let asked = "\(Int(min(max(1, wanted.rounded()), 1e9))) were asked for"
    if wanted > Double(ioBufferLimits.upperBound) + 0.5 {
      return "\(ioBufferLimits.upperBound) frames are the most of a slice: \(asked)"
    }
    // Half of the shortest buffer, or more, still rounds up to it.
    guard wanted <= Double(ioBufferLimits.lowerBound) / 2 else { return nil }
    return "\(ioBufferLimits.lowerBound) frames are the least of a slice: \(asked)"
  }

  /// The frames of an I/O buffer for a preferred duration in seconds: the smallest power of two
  /// that lasts as long, from 64 to 4096; 1024 without a preference.
  public static func ioBufferFrames(forDuration duration: Double?, sampleRate: Double) -> Int {
    guard let duration, duration > 0, sampleRate > 0 else { return 1024 }
    var frames = ioBufferLimits.lowerBound
    // The tolerance of a millionth of a frame allows for rounding in `duration`.
    while frames < ioBufferLimits.upperBound && Double(frames) < duration * sampleRate - 1e-6 {
      frames *= 2
    }
    return frames
  }
}

/// What an I/O unit runs on: a sound server, a clock that plays nothing, a file.
///
/// Used from the control thread. Between `start` and `stop` a thread of the hardware pulls the
/// session.
public protocol AudioHardware: AnyObject, Sendable {
  /// What was granted. Valid before `start`, so that formats can be made from it.
  var grant: HardwareGrant { get }

  /// Whether frame n of the microphone is captured with frame n of the output, as offline, and is
  /// delivered as far ahead as the `lead` of the session's ring asks. False for two devices with a
  /// clock each.
  var isSynchronous: Bool { get }

  /// Starts to pull the session. Returns once the first pull has begun, the run has failed, or the
  /// hardware waits for its other end.
  ///
  /// - Throws: Why the hardware could not be started.
  func start(_ session: RenderSession) throws(HardwareError)

  /// Starts to pull a session whose files must be read and written in step with the pulls.
  ///
  /// - Parameter prepare: Called with the number of frames before each pull, in the thread that
  ///   pulls; it may wait for the disk. Only hardware that may pull faster than files are read
  ///   ahead calls it.
  func start(
    _ session: RenderSession, preparing prepare: @escaping @Sendable (_ frameCount: Int) -> Void
  ) throws(HardwareError)

  /// Stops the pulls. After it returns no pull is under way, and none follows.
  func stop()

  /// The failure that ended the pulls; `nil` while there is none. Any thread.
  var failure: HardwareError? { get }
}

extension AudioHardware {
  /// `nil`, for hardware that cannot fail once it runs.
  public var failure: HardwareError? { nil }

  public var isSynchronous: Bool { false }

  public func start(
    _ session: RenderSession, preparing prepare: @escaping @Sendable (_ frameCount: Int) -> Void
  ) throws(HardwareError) {
    try start(session)
  }
}
