public import Diagnostics
public import SoundExpectations
public import SoundMeasures

/// The result of a test.
public struct CheckedTest: Sendable {
  public var name: String
  public var expectations: [CheckedExpectation] = []
  /// Why the test could not be run; `nil` where it was run.
  public var problem: Diagnostic?
  /// How long it took, in seconds.
  public var seconds = 0.0

  /// A hash of the test's own render, where `Options.needsFingerprint` asked for it.
  var fingerprint = 0

  /// All problems, in document order.
  public var diagnostics: [Diagnostic] {
    (([problem] + expectations.map(\.diagnostic)).compactMap(\.self)).inDocumentOrder()
  }

  public var hasPassed: Bool { problem == nil && expectations.allSatisfy { $0.status == .passed } }
}

/// The result of an expectation.
public struct CheckedExpectation: Sendable {
  public enum Status: String, Hashable, Sendable {
    case passed, failed
    /// It could not be measured, or its test could not be run.
    case notMeasured
  }

  public var expectation: Expectation
  public var status: Status
  /// The measurements, a line for each quantity: `true peak -1.2 dBTP (at most -1.0 dBTP)`.
  public var measured: [String] = []
  /// The place of the worst reading: `at 0:03.214 (frame 154272), channel 1`.
  public var place: String?
  /// `nil` where it has passed, or where the test as a whole has a problem.
  public var diagnostic: Diagnostic?
  /// The part of the sound that was measured, where `Options.keepsSound` asked for it and it did
  /// not pass.
  public var heard: Sound?
  /// The golden that it was compared with.
  public var golden: Sound?
  /// The finding of the worst quantity; `nil` where everything holds, or nothing was measured.
  var finding: ExpectationFinding?

  public var title: String { expectation.title }
}
