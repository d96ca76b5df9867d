import AudioTypes
import SoundChecks
import TestSupport
import Testing

/// Mutation tests: mutations are noticed, or reported as not noticed.
@Suite struct MutationTests {
  private static func checks(_ folder: TestedFolder, _ expectations: String) -> [MutationCheck] {
    let file = folder.tests(
      """
      { "patch": "tone.json", "tests": { "a": { "duration": 0.5, "expect": [ \(expectations) ] } } }
      """)
    let baseline = MutationCheck.baseline(of: file)
    return MutationCheck.mutations(of: file).map {
      MutationCheck.check($0, in: file, baseline: baseline)
    }
  }

  @Test func `there are a dozen kinds and more`() throws {
    let folder = try TestedFolder()
    let checks = Self.checks(folder, "{ \"notSilent\": true }")
    #expect(Set(checks.map(\.mutation.kind)).count >= 14)
  }

  @Test func `a test that listens to little notices little`() throws {
    let folder = try TestedFolder()
    let checks = Self.checks(folder, "{ \"notSilent\": true }").filter { !$0.isEquivalent }
    let noticed = checks.filter { !$0.noticedBy.isEmpty }.map(\.mutation.kind)
    #expect(Set(noticed) == ["mute a source", "lose a channel"])
  }

  @Test func `a channel that is swapped with its like changes nothing`() throws {
    let folder = try TestedFolder()
    let checks = Self.checks(folder, "{ \"notSilent\": true }")
    let swapped = try #require(checks.first { $0.mutation.kind == "swap channels" })
    #expect(swapped.isEquivalent)
  }

  @Test func `a test of the level, the tone and the faults notices all but time and phase`() throws
  {
    let folder = try TestedFolder()
    let checks = Self.checks(
      folder,
      """
      { "rms": { "near": -9.03, "within": 0.1 } }, { "clicks": 0 }, { "dropouts": 0 },
      { "dc": true }, { "tone": { "frequency": 1000, "cents": 1 } },
      { "thdn": { "atMost": -80 } }, { "correlation": { "atLeast": 0.99 } }
      """
    ).filter { !$0.isEquivalent }
    let missed = checks.filter(\.noticedBy.isEmpty).map(\.mutation.kind)
    // The mixer passes its input on unchanged.
    #expect(
      Set(missed).isSubset(of: ["delay by a frame", "dull", "drop a node"]), "\(missed)")
  }
}
