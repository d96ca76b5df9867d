public import AudioTypes
import PatchSyntax
public import SoundMeasures

/// What an expectation may ask of a patch that is tested. Everything is rendered at most once.
///
/// Used by one thread at a time.
public protocol TestedPatch: AnyObject {
  /// What an expectation listens to: the part of the sound at its bus, on its channel.
  func sound(for expectation: Expectation) throws(ExpectationProblem) -> Sound
  /// The same of another render of the patch.
  func sound(
    for expectation: Expectation, _ variant: RenderVariant
  ) throws(ExpectationProblem) -> Sound
  /// A golden: the sound in a file, whose path is relative to the test file.
  func golden(_ path: String, for expectation: Expectation) throws(ExpectationProblem) -> Sound
  /// How a path passes sound on.
  func response(
    from: String, to: String?, level: Double
  ) throws(ExpectationProblem) -> MeasuredPath
  /// What is found in the patch, notes included.
  func findings() throws(ExpectationProblem) -> [Rule.Code]
  /// How long the render has taken, in seconds of a processor for one second of sound.
  func load() throws(ExpectationProblem) -> Double
  /// In seconds, how long the patch plays by itself; `nil` for without an end.
  func playingTime() throws(ExpectationProblem) -> Double?
}

/// How a patch is rendered another time.
public enum RenderVariant: Hashable, Sendable {
  /// In slices of so many frames, of the session.
  case slices(Int)
  /// Another patch, by its path relative to the test file.
  case patch(String)
  /// With other values from the beginning: each a text `POINTER=VALUE`.
  case settings([String])
  /// With those values from a moment on, in seconds: as `PATCH` of a running patch would make them.
  case changed([String], at: Double)
}

/// How a path passes sound on.
public struct MeasuredPath: Sendable {
  /// In Hz, ascending.
  public var frequencies: [Double]
  /// In dB, of each channel.
  public var magnitudes: [[Double]]
  public var latencyFrames: Int

  public init(frequencies: [Double], magnitudes: [[Double]], latencyFrames: Int) {
    self.frequencies = frequencies
    self.magnitudes = magnitudes
    self.latencyFrames = latencyFrames
  }
}

/// Why an expectation could not be looked at.
public struct ExpectationProblem: Error, Hashable, Sendable {
  /// A sentence that starts in lower case.
  public var message: String
  public var help: [String]
  /// The key in the expectation that it is about; `nil` for all of it.
  public var key: String?

  public init(_ message: String, help: [String] = [], key: String? = nil) {
    self.message = message
    self.help = help
    self.key = key
  }
}

/// A number that was measured for an expectation, with all the places that it was measured at.
public struct MeasuredQuantity: Sendable {
  /// `true peak`.
  public var noun: String
  public var unit: BoundUnit
  /// One at least: of each channel, or of each moment.
  public var readings: [SoundReading]
  public var bound: Bound
  /// The key of the bound, where that is a setting; `nil` for the expectation's own bound.
  public var key: String?
  /// What there is to say besides.
  public var notes: [String]
  /// What would have to stand at a key, as JSON, for it to hold; `nil` where a bound says it.
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

  /// The one that is farthest outside, or nearest to being so.
  public var worst: SoundReading {
    readings.max { bound.excess(of: $0.value) < bound.excess(of: $1.value) }
      ?? SoundReading(-.infinity)
  }

  public var holds: Bool { bound.holds(worst.value) }
}
