public import Diagnostics
public import SoundExpectations
public import SoundMeasures

/// What has come of a test.
public struct CheckedTest: Sendable {
  public var name: String
  public var expectations: [CheckedExpectation] = []
  /// Why the test could not be run at all; `nil` where it was.
  public var problem: Diagnostic?
  /// How long it took, in seconds.
  public var seconds = 0.0

  /// A number for all that was rendered, where somebody has asked for it.
  var fingerprint = 0

  /// By place.
  public var diagnostics: [Diagnostic] {
    (([problem] + expectations.map(\.diagnostic)).compactMap(\.self)).inDocumentOrder()
  }

  public var hasPassed: Bool { problem == nil && expectations.allSatisfy { $0.status == .passed } }
}

/// What has come of an expectation.
public struct CheckedExpectation: Sendable {
  public enum Status: String, Hashable, Sendable {
    case passed, failed
    /// It could not be measured, or its test not be run.
    case notMeasured
  }

  public var expectation: Expectation
  public var status: Status
  /// What was measured, a line for each quantity: `true peak -1.2 dBTP (at most -1.0 dBTP)`.
  public var measured: [String] = []
  /// Where it was worst: `at 0:03.214 (frame 154272), channel 1`.
  public var place: String?
  /// `nil` where it has passed, or where the test as a whole has a problem.
  public var diagnostic: Diagnostic?
  /// The part of the sound that was looked at, where somebody has asked for it.
  public var heard: Sound?
  /// What it was compared with.
  public var golden: Sound?
  /// What does not hold; `nil` where everything does, or nothing was measured.
  var finding: ExpectationFinding?

  public var title: String { expectation.title }
}
