/// The expectations of a test file that notice a mutation.
public struct MutationCheck: Sendable {
  public var mutation: Mutation
  /// The expectations that noticed it.
  public var noticedBy: [Expected]
  /// Whether the mutation changes no rendered sound, so that no expectation could notice it.
  public var isEquivalent = false

  /// The indices of a test in its file, and of an expectation in its test.
  public struct Expected: Hashable, Sendable {
    public var test: Int
    public var expectation: Int

    public init(test: Int, expectation: Int) {
      self.test = test
      self.expectation = expectation
    }
  }

  /// All mutations of the patch that a test file names; empty where it could not be read.
  public static func mutations(of file: TestFile) -> [Mutation] {
    file.patch.map(Mutation.all) ?? []
  }

  /// The results of the tests of a file without a mutation.
  public static func baseline(of file: TestFile) -> [CheckedTest] {
    var options = TestChecker.Options()
    options.needsFingerprint = true
    return file.tests.indices.map { TestChecker.check($0, of: file, options) }
  }

  /// Runs all tests of a file with a mutation.
  ///
  /// - Parameter baseline: The results without a mutation.
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
