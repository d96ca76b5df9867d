import Diagnostics
import SoundChecks
import SoundExpectations

extension ArtifactTest {
  /// What has come of a test that has failed, with the sound of the expectation that has.
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
    // What was compared says more than what was only heard.
    let shown =
      test.expectations.first { $0.golden != nil } ?? test.expectations.first { $0.heard != nil }
    heard = shown?.heard
    golden = shown?.golden
    if let most = shown?.expectation.bound.high, shown?.golden != nil, most.isFinite {
      bound = most
    }
  }
}
