public import AudioTypes
public import SoundMeasures

/// The renders and measurements of a tested patch that an expectation may use. Each render is made
/// at most once.
///
/// Used by one thread at a time.
public protocol TestedPatch: AnyObject {
  /// The sound that an expectation looks at: the part at its bus, on its channel, in its time.
  func sound(for expectation: Expectation) throws(ExpectationProblem) -> Sound
  /// The same part of another render of the patch.
  func sound(
    for expectation: Expectation, _ variant: RenderVariant
  ) throws(ExpectationProblem) -> Sound
  /// A golden: the sound in a file, with the path relative to the test file.
  func golden(_ path: String, for expectation: Expectation) throws(ExpectationProblem) -> Sound
  /// The response of a path.
  ///
  /// - Parameters:
  ///   - from: The input, callback or microphone where the path begins.
  ///   - to: The output where it ends; `nil` for the output unit's.
  ///   - level: The peak of the test signal, in dBFS.
  func response(
    from: String, to: String?, level: Double
  ) throws(ExpectationProblem) -> MeasuredPath
  /// The codes of the findings in the patch, with those notes whose codes the test lists.
  func findings() throws(ExpectationProblem) -> [Rule.Code]
  /// The wall-clock time that the render took, in seconds per second of sound.
  func load() throws(ExpectationProblem) -> Double
  /// How long the patch plays by itself, in seconds; `nil` where it has no end.
  func playingTime() throws(ExpectationProblem) -> Double?
}

/// Another render of a tested patch.
public enum RenderVariant: Hashable, Sendable {
  /// Rendered in slices of this many frames at the device.
  case slices(Int)
  /// A render of another patch, whose path is relative to the test file.
  case patch(String)
  /// Rendered with other values from the beginning, each `POINTER=VALUE`.
  case settings([String])
  /// Rendered with other values from a time in seconds on, set as by a `PATCH` request while the
  /// patch runs.
  case changed([String], at: Double)
}

/// The response of a path through a patch.
public struct MeasuredPath: Sendable {
  /// In Hz, ascending.
  public var frequencies: [Double]
  /// In dB at each frequency, for each channel.
  public var magnitudes: [[Double]]
  public var latencyFrames: Int

  public init(frequencies: [Double], magnitudes: [[Double]], latencyFrames: Int) {
    self.frequencies = frequencies
    self.magnitudes = magnitudes
    self.latencyFrames = latencyFrames
  }
}

/// Why an expectation could not be measured.
public struct ExpectationProblem: Error, Hashable, Sendable {
  /// A sentence that starts in lower case.
  public var message: String
  public var help: [String]
  /// The key of the member that is at fault; `nil` for the whole expectation.
  public var key: String?

  public init(_ message: String, help: [String] = [], key: String? = nil) {
    self.message = message
    self.help = help
    self.key = key
  }
}

/// A number that was measured for an expectation, with all its readings.
public struct MeasuredQuantity: Sendable {
  /// The name of the quantity in messages: `true peak`.
  public var noun: String
  public var unit: BoundUnit
  /// At least one: a reading for each channel, or for each moment.
  public var readings: [SoundReading]
  public var bound: Bound
  /// The key of the setting that is the bound; `nil` for the expectation's own bound.
  public var key: String?
  /// Further notes for the finding.
  public var notes: [String]
  /// The key of a setting, and the JSON value for it that would make the expectation hold; `nil`
  /// where a new bound makes it hold.
  public var correction: (key: String, text: String)?

  public init(
    _ noun: String, _ unit: BoundUnit, _ readings: [SoundReading], _ bound: Bound,
    key: String? = nil, notes: [String] = []
  ) {
    self.noun = noun
    self.unit = unit
    self.readings = readings
    self.bound = bound
    self.key = key
    self.notes = notes
  }

  /// The reading that is farthest outside the bound; where all are inside, the one nearest to an
  /// end of it.
  public var worst: SoundReading {
    readings.max { bound.excess(of: $0.value) < bound.excess(of: $1.value) }
      ?? SoundReading(-.infinity)
  }

  public var holds: Bool { bound.holds(worst.value) }
}
