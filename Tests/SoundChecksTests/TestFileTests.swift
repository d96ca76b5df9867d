import AudioTypes
import Diagnostics
import PatchSyntax
import SoundChecks
import SoundExpectations
import TestSupport
import Testing

/// Test files with errors: the findings and their places.
@Suite struct TestFileTests {
  /// Expectations with an error, the code, and the text under the caret.
  private static let mistakes: [(expectation: String, code: Rule.Code, marked: String)] = [
    ("{ \"peek\": { \"atMost\": -1 } }", "PR1102", "\"peek\""),
    ("{ }", "PR1102", "{"),
    ("{ \"peak\": { \"atMost\": -1 }, \"rms\": { \"atMost\": -1 } }", "PR1102", "\"rms\""),
    ("{ \"peak\": { } }", "PR1103", "{"),
    ("{ \"peak\": { \"atMost\": \"loud\" } }", "PR1103", "\"loud\""),
    ("{ \"peak\": { \"atMost\": 5000 } }", "PR1103", "5000"),
    ("{ \"peak\": { \"atLeast\": -1, \"atMost\": -2 } }", "PR1103", "-2"),
    ("{ \"peak\": { \"between\": [-2] } }", "PR1103", "["),
    ("{ \"peak\": { \"near\": -2 } }", "PR1103", "{"),
    ("{ \"peak\": { \"near\": -2, \"within\": -1 } }", "PR1103", "-1"),
    ("{ \"peak\": { \"near\": -2, \"within\": 1, \"atMost\": 0 } }", "PR1103", "0"),
    ("{ \"peak\": { \"atmost\": -2 } }", "PR1104", "\"atmost\""),
    ("{ \"peak\": -3 }", "PR1104", "-3"),
    ("{ \"finite\": false }", "PR1104", "false"),
    ("{ \"tone\": { } }", "PR1104", "{"),
    ("{ \"tone\": { \"frequency\": -1 } }", "PR1104", "-1"),
    ("{ \"sameAtSlices\": [\"a\"] }", "PR1104", "["),
    ("{ \"response\": { \"from\": \"mixer\", \"mask\": [[1, 2]] } }", "PR1104", "["),
    ("{ \"at\": \"io\", \"load\": { \"atMost\": 1 } }", "PR1105", "\"io\""),
    ("{ \"at\": \"mixer:3\", \"peak\": { \"atMost\": 0 } }", "PR1105", "\"mixer:3\""),
    ("{ \"channel\": 2, \"peak\": { \"atMost\": 0 } }", "PR1105", "2"),
    ("{ \"during\": [3, 4], \"peak\": { \"atMost\": 0 } }", "PR1105", "["),
    ("{ \"during\": [1, 0], \"peak\": { \"atMost\": 0 } }", "PR0101", "["),
    ("{ \"channel\": -1, \"peak\": { \"atMost\": 0 } }", "PR0109", "-1"),
  ]

  @Test(arguments: mistakes.indices)
  func `a mistake has one finding, with its caret`(index: Int) throws {
    let (expectation, code, marked) = Self.mistakes[index]
    let folder = try TestedFolder()
    let file = folder.expecting(expectation)
    let found = TestChecker.findings(in: file)
    #expect(found.map(\.code) == [code], "\(file.rendered(found))")
    let diagnostic = try #require(found.first)
    let bytes = Array(marked.utf8)
    #expect(Array(file.source.bytes[diagnostic.range]) == bytes, "\(file.rendered(found))")
  }

  @Test func `a misspelt kind and a misspelt bound are put right by their edits`() throws {
    let folder = try TestedFolder()
    for wrong in ["{ \"truPeak\": { \"atMost\": -1 } }", "{ \"peak\": { \"atmost\": -1 } }"] {
      let file = folder.expecting(wrong)
      let fix = try #require(TestChecker.findings(in: file).first?.fixes.first)
      #expect(fix.isSafe)
      var bytes = file.source.bytes
      for edit in fix.edits {
        bytes.replaceSubrange(edit.range, with: Array(edit.replacement.utf8))
      }
      let mended = folder.tests(String(decoding: bytes, as: UTF8.self))
      #expect(TestChecker.findings(in: mended).isEmpty)
    }
  }

  @Test func `quantities are written with their units`() throws {
    let folder = try TestedFolder()
    let file = folder.expecting(
      "{ \"during\": [\"100 ms\", \"0.5 s\"], \"peak\": { \"atMost\": \"-6 dB\" } }")
    #expect(TestChecker.findings(in: file).isEmpty)
    #expect(file.tests[0].expectations[0].bound == .atMost(-6))
    #expect(file.tests[0].expectations[0].during?.value == 0.1...0.5)
    #expect(try folder.run(file).allSatisfy(\.hasPassed))
  }

  @Test func `a patch that is wrong is said once, however many tests there are`() throws {
    let folder = try TestedFolder()
    try folder.write(
      ExamplePatches.tested.replacing("MultichannelMixer", with: "MultichannelMixxer"),
      to: "tone.json")
    let file = folder.tests(
      """
      { "patch": "tone.json", "tests": {
        "one": { "duration": 1, "expect": [ { "notSilent": true } ] },
        "two": { "duration": 1, "expect": [ { "finite": true }, { "clicks": 0 } ] } } }
      """)
    let found = TestChecker.findings(in: file)
    #expect(found.map(\.code) == ["PR1101"])
    let checked = try folder.run(file)
    #expect(Set(checked.flatMap(\.diagnostics)).count == 1)
    #expect(checked.flatMap(\.expectations).allSatisfy { $0.status == .notMeasured })
  }

  @Test func `a setting that does not fit is said at the setting`() throws {
    let folder = try TestedFolder()
    for (settings, marked) in [
      ("\"/nodes/equalizer/parameters/volume\": 1", "\"/nodes/equalizer/parameters/volume\""),
      ("\"/callbacks/tone/frequency\": \"high\"", "\"/callbacks/tone/frequency\""),
      ("\"volume\": 1", "\"volume\""),
    ] {
      let file = folder.expecting("{ \"notSilent\": true }", settings: settings)
      let found = TestChecker.findings(in: file)
      #expect(found.map(\.code) == ["PR1106"], "\(file.rendered(found))")
      #expect(
        Array(file.source.bytes[found[0].range]) == Array(marked.utf8), "\(file.rendered(found))")
    }
  }

  @Test(arguments: ["tone", "mixer:0", "mixer", "io:0", "mixer:1"])
  func `a feed takes the place of a callback, of a connection, and of nothing`(place: String) throws
  {
    let folder = try TestedFolder()
    let file = folder.tests(
      """
      { "patch": "tone.json", "tests": { "fed": { "duration": 1,
        "feed": { "\(place)": { "kind": "tone", "frequency": 250, "amplitude": 0.9 } },
        "expect": [ { "band": { "from": 200, "to": 300, "atLeast": -10 } } ] } } }
      """)
    let checked = try folder.run(file)
    #expect(checked[0].hasPassed, "\(file.rendered(checked[0].diagnostics))")
  }

  @Test func `a feed of a node that is not there is said with its name`() throws {
    let folder = try TestedFolder()
    let file = folder.tests(
      """
      { "patch": "tone.json", "tests": { "fed": { "duration": 1,
        "feed": { "mixr:0": { "kind": "tone" } }, "expect": [ { "notSilent": true } ] } } }
      """)
    let found = TestChecker.findings(in: file)
    #expect(found.map(\.code) == ["PR1106"])
    #expect(found[0].help.contains { $0.contains("mixer") })
  }

  @Test func `an endless patch needs a duration`() throws {
    let folder = try TestedFolder()
    let file = folder.tests(
      "{ \"patch\": \"tone.json\", \"tests\": { \"a\": { \"expect\": [ { \"finite\": true } ] } } }"
    )
    let checked = try folder.run(file)
    #expect(checked[0].problem?.code == "PR1107")
    #expect(checked[0].problem?.help.contains { $0.contains("duration") } == true)
  }

  @Test func `a sound is cut out of a bus by time and channel`() throws {
    let folder = try TestedFolder()
    let settings =
      "\"/callbacks/tone\": { \"kind\": \"expression\", \"value\": \"channel == 1 && time >= 0.5 ? 0.25 : 0\" }"
    let file = folder.tests(
      """
      { "patch": "tone.json", "tests": { "a": { "duration": 1, "settings": { \(settings) },
        "expect": [
          { "at": "mixer", "channel": 0, "silence": true },
          { "at": "mixer", "channel": 1, "during": [0, 0.5], "silence": true },
          { "at": "mixer", "channel": 1, "during": [0.5, 1],
            "peak": { "near": -12.04, "within": 0.01 } },
          { "channel": 1, "silence": true } ] } } }
      """)
    let checked = try folder.run(file)
    #expect(
      checked[0].expectations.map(\.status) == [.passed, .passed, .passed, .failed],
      "\(file.rendered(checked[0].diagnostics))")
    // Half a second at 48,000 Hz.
    #expect(checked[0].expectations[3].place?.contains("0:00.500 (frame 24000)") == true)
  }
}
