import AudioTypes
import Foundation
import TestSupport
import Testing

@testable import patchrun

/// `patchrun test` on the command line.
@Suite struct TestCommandTests {
  private static func place(_ expectations: String = "{ \"notSilent\": true }") throws -> Workplace
  {
    let place = try Workplace()
    try place.write(ExamplePatches.tested, to: "tone.json")
    try place.write(tests(expectations), to: "tone.test.json")
    return place
  }

  private static func tests(_ expectations: String) -> String {
    """
    { "patch": "tone.json", "tests": {
      "first": { "duration": 0.2, "expect": [ \(expectations) ] },
      "second": { "duration": 0.2, "expect": [ { "finite": true }, { "clicks": 0 } ] },
      "third": { "duration": 0.2, "expect": [ { "dc": true } ] } } }
    """
  }

  @Test func `everything as expected is 0, and said in a line`() throws {
    let place = try Self.place()
    let outcome = try place.run("test", "tone.json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("3 tests, 4 expectations: all as expected"))
    #expect(try place.run("test", "-q", ".").status == 0)
  }

  @Test func `what is not as expected is 1, with its line and its cure`() throws {
    let place = try Self.place("{ \"peak\": { \"atMost\": -12 } }")
    let outcome = try place.run("test", "tone.test.json")
    #expect(outcome.status == 1)
    #expect(
      outcome.output.contains("error[PR1121]: the peak is -6.02 dBFS, 5.98 dB more than expected"))
    #expect(outcome.output.contains("to allow -6.02 dBFS, write -6.02"))
  }

  @Test func `every format says the same number of failures`() throws {
    let place = try Self.place("{ \"peak\": { \"atMost\": -12 } }, { \"golden\": \"gone.wav\" }")
    func output(_ format: String) throws -> String {
      let outcome = try place.run("test", "tone.test.json", "--output-format", format)
      #expect(outcome.status == 1, "\(format): \(outcome.errors)")
      return outcome.output
    }
    let junit = try output("junit")
    #expect(junit.contains("tests=\"5\" failures=\"1\" errors=\"1\""))
    let tap = try output("tap")
    #expect(tap.hasPrefix("TAP version 14\n1..5\n"))
    #expect(tap.components(separatedBy: "\nnot ok ").count == 3)
    let lines = try output("jsonl").split(separator: "\n")
    #expect(lines.count == 3)
    for line in lines {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(object?["test"] != nil)
    }
    let json =
      try JSONSerialization.jsonObject(with: Data(try output("json").utf8)) as? [String: Any]
    let patches = try #require(json?["patches"] as? [[String: Any]])
    #expect((patches[0]["expectations"] as? [[String: Any]])?.count == 5)
    #expect((patches[0]["diagnostics"] as? [[String: Any]])?.count == 2)
    for format in ["sarif", "github", "gitlab", "rdjson", "concise"] {
      #expect(try output(format).contains("PR1121"), "\(format)")
    }
  }

  @Test(arguments: [1, 2, 3, 5])
  func `the shards together are all tests, and no test is in two`(count: Int) throws {
    let place = try Self.place()
    var names: [String] = []
    for part in 1...count {
      let outcome = try place.run(
        "test", "tone.test.json", "--shard", "\(part)/\(count)", "--output-format", "jsonl")
      names += outcome.output.matches(of: /"test":\s*"(\w+)"/).map { String($0.output.1) }
    }
    #expect(names.sorted() == ["first", "second", "third"])
  }

  @Test func `a filter chooses tests by their names`() throws {
    let place = try Self.place()
    let outcome = try place.run("test", "tone.test.json", "--filter", "sec*")
    #expect(outcome.output.contains("1 test, 2 expectations"))
    #expect(try place.run("test", "tone.test.json", "--filter", "fourth").status == 2)
    #expect(try place.run("test", "tone.test.json", "--shard", "3/2").status == 2)
  }

  @Test func `a first test file passes, notices what is broken, and is blessed`() throws {
    let place = try Workplace()
    try place.write(ExamplePatches.tested, to: "tone.json")
    #expect(try place.run("test", "tone.json", "--new", "--duration", "1").status == 0)
    #expect(FileManager.default.fileExists(atPath: place.path("tone.golden.flac")))
    #expect(try place.run("test", "tone.json").status == 0)
    // The test file exists now.
    #expect(try place.run("test", "tone.json", "--new").status == 3)
    try place.write(
      ExamplePatches.tested.replacingOccurrences(of: "0.5", with: "0.4"), to: "tone.json")
    let broken = try place.run("test", "tone.json")
    #expect(broken.status == 1)
    #expect(broken.output.contains("PR1123") && broken.output.contains("PR1145"))
    #expect(try place.run("test", "tone.json", "--bless").status == 0)
    #expect(try place.run("test", "tone.json").status == 0)
  }

  @Test func `a bound is not blessed beyond the most that it may move`() throws {
    let place = try Self.place("{ \"peak\": { \"atMost\": -40 } }")
    let outcome = try place.run("test", "tone.test.json", "--bless")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("33.98 dBFS") && outcome.errors.contains("--most-margin"))
    #expect(try place.run("test", "tone.test.json", "--bless", "--most-margin", "40").status == 0)
    #expect(try place.run("test", "tone.test.json").status == 0)
  }

  @Test func `what is spoilt on purpose and not noticed is listed`() throws {
    let place = try Self.place()
    let outcome = try place.run("test", "tone.test.json", "--mutate")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("not noticed: add 1 dB"))
    #expect(outcome.output.contains("notices nothing: second: finite"))
  }

  @Test func `validate checks test files, and says nothing of what they hear`() throws {
    let place = try Self.place("{ \"peak\": { \"atMost\": -12 } }")
    #expect(try place.run("validate", ".").status == 0)
    try place.write(Self.tests("{ \"peek\": { \"atMost\": -12 } }"), to: "tone.test.json")
    let outcome = try place.run("validate", ".")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("PR1102"))
  }

  @Test func `a folder without test files says how to get one`() throws {
    let place = try Workplace()
    try place.write(ExamplePatches.tested, to: "tone.json")
    let outcome = try place.run("test", ".")
    #expect(outcome.status == 3)
    #expect(outcome.errors.contains("--new"))
  }
}
