import Diagnostics
import PatchRendering
import PatchSyntax
import SoundMeasures

/// What the tests of a file notice of a mutation.
public struct MutationCheck: Sendable {
  public var mutation: Mutation
  /// The expectations that noticed it: of each the test and its place in it.
  public var noticedBy: [Expected]
  /// Whether nothing that is listened to changes at all: there is nothing to notice.
  public var isEquivalent = false

  /// An expectation by its place.
  public struct Expected: Hashable, Sendable {
    public var test: Int
    public var expectation: Int

    public init(test: Int, expectation: Int) {
      self.test = test
      self.expectation = expectation
    }
  }

  /// All that can be done to the patch of a file.
  public static func mutations(of file: TestFile) -> [Mutation] {
    file.patch.map(Mutation.all) ?? []
  }

  /// What the tests of a file come to while nothing is spoilt.
  public static func baseline(of file: TestFile) -> [CheckedTest] {
    var options = TestChecker.Options()
    options.needsFingerprint = true
    return file.tests.indices.map { TestChecker.check($0, of: file, options) }
  }

  /// Runs all tests of a file on a patch that was spoilt.
  ///
  /// - Parameter baseline: What the patch as it is comes to.
  public static func check(
    _ mutation: Mutation, in file: TestFile, baseline: [CheckedTest],
    isCancelled: @escaping () -> Bool = { false }
  ) -> MutationCheck {
    var result = MutationCheck(mutation: mutation, noticedBy: [])
    var isHeard = false
    for (number, test) in file.tests.enumerated() {
      if isCancelled() { break }
      let checked = TestChecker.check(
        number, of: file, mutation: mutation, isCancelled: isCancelled)
      isHeard = isHeard || checked.fingerprint != baseline[number].fingerprint
      for (place, expectation) in checked.test.expectations.enumerated()
      where baseline[number].expectations.indices.contains(place)
        && baseline[number].expectations[place].status == .passed
        && expectation.status != .passed
      {
        result.noticedBy.append(Expected(test: number, expectation: place))
      }
      if checked.test.problem != nil, test.expectations.isEmpty == false { isHeard = true }
    }
    result.isEquivalent = !isHeard && result.noticedBy.isEmpty
    return result
  }
}
