import AudioTypes
import Diagnostics
import PatchSyntax
import RenderCore
import SoundChecks
import SoundExpectations
import TestSupport
import Testing

/// Random test files: feeds, settings, parts of a sound, and all kinds with bounds over their whole
/// ranges. They must have the same properties as written ones.
@Suite struct RandomTestFileTests {
  private static let seeds = Array(UInt64(1)...8)

  @Test(arguments: seeds)
  func
    `each expectation has one answer and a finding where it fails, whose edit lets it pass, however it is written`(
      seed: UInt64
    ) throws
  {
    var random = RandomTests(seed: seed)
    let folder = try TestedFolder()
    let file = folder.tests(random.file())
    let findings = TestChecker.findings(in: file)
    #expect(findings.isEmpty, "\(file.rendered(findings))")
    let checked = try folder.run(file)
    #expect(checked.count == file.tests.count)
    for (test, answer) in zip(file.tests, checked) {
      #expect(answer.expectations.count == test.expectations.count)
      for (expectation, result) in zip(test.expectations, answer.expectations) {
        // An expectation that cannot be measured has a finding, like one that fails.
        #expect(
          Self.findings(of: expectation, in: answer).count == (result.status == .passed ? 0 : 1),
          "\(expectation.kind.name) \(result.status): \(file.rendered(answer.diagnostics))")
      }
      #expect(
        answer.diagnostics.count == answer.expectations.count { $0.status != .passed },
        "\(file.rendered(answer.diagnostics))")
    }
    // The formatted file after all edits.
    let formatted = try #require(PatchFormatter.format(Self.mended(file, checked)).text)
    let mended = folder.tests(String(decoding: formatted, as: UTF8.self))
    #expect(mended.diagnostics.isEmpty, "\(mended.rendered(mended.diagnostics))")
    for (number, after) in try folder.run(mended).enumerated() {
      for (index, expectation) in file.tests[number].expectations.enumerated() {
        let before = checked[number]
        let found = Self.findings(of: expectation, in: before)
        let hadEdit = found.contains { !$0.fixes.isEmpty }
        #expect(
          after.expectations[index].status
            == (hadEdit ? .passed : before.expectations[index].status),
          "\(file.rendered(found)) \(mended.rendered(after.diagnostics))")
      }
    }
  }

  private static func findings(of expectation: SoundExpectations.Expectation, in test: CheckedTest)
    -> [Diagnostic]
  {
    let range = expectation.json.range
    return test.diagnostics.filter {
      range.contains($0.range.lowerBound) && $0.range.upperBound <= range.upperBound
    }
  }

  private static func mended(_ file: TestFile, _ checked: [CheckedTest]) -> SourceText {
    file.source.applying(checked.flatMap(\.diagnostics).flatMap { $0.fixes.first?.edits ?? [] })
  }

  @Test func `the files have all kinds that need nothing beside the patch`() {
    var text = ""
    for seed in Self.seeds {
      var random = RandomTests(seed: seed)
      text += random.file()
    }
    let missing = RandomTests.kinds.map(\.name).filter { !text.contains("\"\($0)\"") }
    #expect(missing.isEmpty)
    #expect(RandomTests.kinds.count >= 20)
  }
}

/// Random test files for the patch `ExamplePatches.tested`.
private struct RandomTests {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// Kinds without another file or patch, and without the load, which differs from run to run.
  static let kinds = ExpectationCatalog.kinds.filter { kind in
    !["load", "golden", "sameAs", "sameAfter", "response", "diagnostics"].contains(kind.name)
  }

  mutating func file() -> String {
    let tests = (0..<3).map { "\"test \($0)\": \(test())" }
    return "{ \"patch\": \"tone.json\", \"tests\": { \(tests.joined(separator: ", ")) } }"
  }

  private mutating func one<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &random)]
  }

  private mutating func chance(_ share: Double) -> Bool {
    Double.random(in: 0..<1, using: &random) < share
  }

  private mutating func number(_ range: ClosedRange<Double>) -> Double {
    (Double.random(in: range, using: &random) * 1000).rounded() / 1000
  }

  private mutating func test() -> String {
    let duration = one([0.2, 0.3])
    var members = ["\"duration\": \(duration)"]
    if chance(0.4) {
      let sources = [
        "{ \"kind\": \"tone\", \"frequency\": \(number(40...12_000)), \"amplitude\": \(number(0.001...1)) }",
        "{ \"kind\": \"noise\", \"amplitude\": \(number(0.001...1)) }",
        "{ \"kind\": \"silence\" }",
      ]
      members.append("\"feed\": { \"\(one(["tone", "mixer:0", "io:0"]))\": \(one(sources)) }")
    }
    if chance(0.4) {
      let volume = "{ \"0\": { \"parameters\": { \"volume\": \(number(0...1)) } } }"
      members.append("\"settings\": { \"/nodes/mixer/outputs\": \(volume) }")
    }
    if chance(0.2) { members.append("\"hardware\": \"rate=\(one([44_100, 48_000, 96_000]))\"") }
    let expectations = (0..<6).map { _ in expectation(duration) }
    members.append("\"expect\": [\(expectations.joined(separator: ", "))]")
    return "{ \(members.joined(separator: ", ")) }"
  }

  private mutating func expectation(_ duration: Double) -> String {
    let kind = one(Self.kinds)
    var members: [String] = []
    if kind.subject == .sound {
      if chance(0.3) { members.append("\"at\": \"mixer\"") }
      if chance(0.3) && !["correlation", "balance"].contains(kind.name) {
        members.append("\"channel\": \(one([0, 1]))")
      }
      if chance(0.3) {
        let begin = number(0...duration / 4)
        members.append("\"during\": [\(begin), \(number((begin + 0.1)...duration))]")
      }
    }
    members.append("\"\(kind.name)\": \(value(of: kind))")
    return "{ \(members.joined(separator: ", ")) }"
  }

  private mutating func value(of kind: ExpectationKind) -> String {
    if kind.shorthand == .yes && chance(0.5) { return "true" }
    var settings: [String] = []
    for info in kind.settings where info.isRequired || chance(0.3) {
      switch info.kind {
      case .number(let range, excludesLowerBound: _):
        let low = max(range.lowerBound, info.unit == .hertz ? 20 : -100)
        let high = min(range.upperBound, 1000)
        settings.append("\"\(info.key)\": \(number(low...high))")
      case .integer(let range):
        let high = min(range.upperBound, range.lowerBound + 100)
        let value = Int.random(in: range.lowerBound...high, using: &random)
        settings.append("\"\(info.key)\": \(value)")
      default:
        if info.key == "from" && info.isRequired { settings.append("\"from\": \"mixer:0\"") }
      }
    }
    if kind.name == "band" {
      let low = number(0...10_000)
      settings = ["\"from\": \(low)", "\"to\": \(number(low + 10...20_000))"]
    }
    for list in kind.lists where list.isRequired || list.key == "frames" {
      settings.append("\"\(list.key)\": [\(one([64, 100, 333])), 512]")
    }
    return "{ \((settings + [bound(of: kind)].compactMap(\.self)).joined(separator: ", ")) }"
  }

  private mutating func bound(of kind: ExpectationKind) -> String? {
    guard let info = kind.bound, info.standard == nil || chance(0.6) else { return nil }
    let range = max(info.range.lowerBound, -120)...min(info.range.upperBound, 120)
    var (low, high) = (number(range), number(range))
    if info.unit.digits == 0 { (low, high) = (low.rounded(), high.rounded()) }
    if high < low { (low, high) = (high, low) }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return "\"atMost\": \(high)"
    case 1: return "\"atLeast\": \(low)"
    case 2: return "\"between\": [\(low), \(high)]"
    default: return "\"near\": \(low), \"within\": \(max(0.001, number(0...6)))"
    }
  }
}
