public import AudioTypes

/// What a device, or what stands for one, has granted. Preferences are requests; this is the answer.
public struct HardwareGrant: Hashable, Sendable {
  /// What the loudspeaker side takes: interleaved linear PCM. `nil` where there is none.
  public var outputFormat: StreamFormat?
  /// What the microphone side delivers: interleaved linear PCM. `nil` where there is none.
  public var inputFormat: StreamFormat?
  /// Frames that one pull asks for at the most: the largest slice that can occur.
  public var ioBufferFrames: Int
  /// The sink, in the server's words.
  public var outputName: String
  /// The source, in the server's words.
  public var inputName: String
  /// From the render to the loudspeaker, in seconds.
  public var outputLatency: Double
  /// From the microphone to the render, in seconds.
  public var inputLatency: Double
  /// What is otherwise than a user would expect, each as a few words that start in lower case.
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

  /// The rate of the session: of the loudspeaker side, or else of the microphone side; 0 for none.
  public var sampleRate: Double { outputFormat?.sampleRate ?? inputFormat?.sampleRate ?? 0 }

  /// How many frames an I/O buffer can have.
  public static let ioBufferLimits = 64...4096

  /// Why an I/O buffer is not as long as was preferred; `nil` where it is, but for its being a power of two.
  public static func ioBufferNote(forDuration duration: Double?, sampleRate: Double) -> String? {
    guard let duration, duration > 0, sampleRate > 0 else { return nil }
    let wanted = duration * sampleRate
    let asked = "\(Int(min(max(1, wanted.rounded()), 1e9))) were asked for"
    if wanted > Double(ioBufferLimits.upperBound) + 0.5 {
      return "\(ioBufferLimits.upperBound) frames are the most of a slice: \(asked)"
    }
    // Half of the shortest buffer still becomes that one by rounding up to a power of two.
    guard wanted <= Double(ioBufferLimits.lowerBound) / 2 else { return nil }
    return "\(ioBufferLimits.lowerBound) frames are the least of a slice: \(asked)"
  }

  /// The frames of an I/O buffer for a preferred duration in seconds: the smallest power of two that
  /// lasts as long, from 64 to 4096; 1024 where nothing is preferred.
  public static func ioBufferFrames(forDuration duration: Double?, sampleRate: Double) -> Int {
    guard let duration, duration > 0, sampleRate > 0 else { return 1024 }
    var frames = ioBufferLimits.lowerBound
    // A millionth of a frame is the rounding of a duration that was a whole number of them.
    while frames < ioBufferLimits.upperBound && Double(frames) < duration * sampleRate - 1e-6 {
      frames *= 2
    }
    return frames
  }
}

/// What an I/O unit runs on: a sound server, a clock that plays nothing, a file.
///
/// Used from the control thread. Between `start` and `stop` a thread of its own pulls the session.
public protocol AudioHardware: AnyObject, Sendable {
  /// What was granted. Valid before `start`, so that formats can be made from it.
  var grant: HardwareGrant { get }

  /// Whether frame n of the microphone is heard with frame n of the output, as far ahead as the
  /// `lead` of the session's ring asks, as offline. Otherwise the two sides have clocks of their own.
  var isSynchronous: Bool { get }

  /// Begins to pull. Returns once the first pull is under way or cannot be, or waits for somebody at
  /// the other end.
  func start(_ session: RenderSession) throws(HardwareError)

  /// The same for hardware that may pull faster than files are read ahead.
  ///
  /// - Parameter prepare: Called by such hardware before each pull, with its frames, in the thread that
  ///   pulls: it reads and writes files, and so takes as long as that. Others do not call it.
  func start(
    _ session: RenderSession, preparing prepare: @escaping @Sendable (_ frameCount: Int) -> Void
  ) throws(HardwareError)

  /// Ends the pulls: when it returns no further one is made, and none is under way.
  func stop()

  /// What ended the pulls before `stop` did; `nil` as long as nothing has. Any thread.
  var failure: HardwareError? { get }
}

extension AudioHardware {
  /// For hardware that cannot fail once it runs.
  public var failure: HardwareError? { nil }

  public var isSynchronous: Bool { false }

  public func start(
    _ session: RenderSession, preparing prepare: @escaping @Sendable (_ frameCount: Int) -> Void
  ) throws(HardwareError) {
    try start(session)
  }
}
