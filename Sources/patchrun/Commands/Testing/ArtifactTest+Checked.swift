import Diagnostics
import SoundChecks
import SoundExpectations

extension ArtifactTest {
  /// A failed test, with the sound of its failed expectation.
  init(_ test: CheckedTest, in file: String) {
    self.init(title: test.name)
    self.file = file
    expectations = test.expectations.map { expectation in
      Expectation(
        text: expectation.title, passed: expectation.status == .passed,
        measured: expectation.measured.first
          ?? expectation.diagnostic?.message.text ?? test.problem?.message.text ?? "",
        place: expectation.place ?? "")
    }
    // A sound with a golden explains more than a sound alone.
    let shown =
      test.expectations.first { $0.golden != nil } ?? test.expectations.first { $0.heard != nil }
    heard = shown?.heard
    golden = shown?.golden
    if let most = shown?.expectation.bound.high, shown?.golden != nil, most.isFinite {
      bound = most
    }
  }
}
