import Foundation
import TestSupport
import Testing

@testable import patchrun

/// `validate` in CI.
struct ReportCommandTests {
  let place: Workplace

  init() throws { place = try Workplace() }

  private static let wrong = #"{ "nodes": { "io": { "component": "remotIO" } } }"#

  private func places(_ outcome: Workplace.Outcome) -> [String] {
    outcome.output.split(separator: "\n").filter { $0.contains(": error[") }
      .map { String($0.prefix { $0 != ":" }) }
  }

  @Test(arguments: ["json", "sarif", "gitlab", "rdjson"])
  func `a report in JSON is all there is on standard output`(format: String) throws {
    try place.write(Self.wrong, to: "wrong.json")
    let outcome = try place.run(
      "validate", "--output-format", format, "wrong.json", "gone.json")
    #expect(outcome.status == 3)
    _ = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    #expect(outcome.output.contains("\"wrong.json\"") && outcome.output.contains("gone.json"))
    #expect(outcome.errors == "error: there is no file 'gone.json'\n")
    #expect(
      try place.run("validate", "--output-format", format, "wrong.json").status == 1)
  }

  @Test func `a report in XML names each patch`() throws {
    try place.write(Self.wrong, to: "wrong.json")
    try place.write(TestPatch.noise(), to: "right.json")
    let outcome = try place.run(
      "validate", "--output-format", "junit", "wrong.json", "right.json", "gone.json")
    #expect(outcome.output.hasPrefix("<?xml "))
    for name in ["wrong", "right", "gone"] {
      #expect(outcome.output.contains("<testsuite name=\"\(name).json\""))
    }
  }

  @Test func `a format that there is not is refused, and those that there are are named`() throws {
    let outcome = try place.run("validate", "--output-format", "xml", "a.json")
    #expect(outcome.status == 2 && outcome.errors.contains("sarif"))
  }

  @Test func `many patches are checked together and reported in order`() throws {
    let names = (0..<300).map { "\(($0 * 7) % 300 + 100).json" }
    for (index, name) in names.enumerated() {
      // Every fifth patch is large and takes longer.
      let nodes = (0..<(index % 5 == 0 ? 200 : 1)).map { "\"n\($0)\": { \"component\": \"x\" }" }
      try place.write("{ \"nodes\": { \(nodes.joined(separator: ", ")) } }", to: name)
    }
    let arguments = ["validate", "--output-format", "concise"] + names
    let outcome = try place.start(arguments).wait()
    #expect(outcome.status == 1)
    var order = places(outcome)
    order = order.indices.filter { $0 == 0 || order[$0] != order[$0 - 1] }.map { order[$0] }
    #expect(order == names)
    #expect(outcome.output.contains("\n300 patches checked: "))
    #expect(try place.start(arguments).wait().output == outcome.output)
  }

  @Test func `patterns name patches, hidden ones and other files left out`() throws {
    for name in ["a/1.json", "a/b/2.json", "a/b/c/3.jsonc", "4.json", "a/.h/5.json", "a/[6].json"] {
      try place.write(Self.wrong, to: name)
    }
    try place.write("no patch", to: "a/notes.txt")
    try FileManager.default.createSymbolicLink(
      atPath: place.path("a/b/loop"), withDestinationPath: place.path("a"))
    func found(_ patterns: String...) throws -> [String] {
      places(try place.start(["validate", "--output-format", "concise"] + patterns).wait())
    }
    #expect(try found("**/*.json") == ["4.json", "a/1.json", "a/[6].json", "a/b/2.json"])
    #expect(try found("a/**") == ["a/1.json", "a/[6].json", "a/b/2.json", "a/b/c/3.jsonc"])
    #expect(try found("a/*") == ["a/1.json", "a/[6].json"])
    #expect(try found("?/b/[0-2].json") == ["a/b/2.json"])
    #expect(try found("./a/.h/*") == ["a/.h/5.json"])
    // An existing name is not treated as a pattern.
    #expect(try found("a/[6].json") == ["a/[6].json"])
    #expect(try found(place.path("*.json"), "4.json", "4.json").count == 2)
    let none = try place.run("validate", "b/*.json")
    #expect(none.status == 3)
    #expect(
      none.errors.hasPrefix("error: no file that ends in .json or .jsonc matches 'b/*.json'\n"))
  }

  @Test func `codes are selected and ignored`() throws {
    try place.write(Self.wrong, to: "wrong.json")
    let ignored = try place.run(
      "validate", "--ignore", "PR02,PR03", "--ignore", "PR0", "wrong.json")
    #expect(ignored.status == 0)
    #expect(ignored.output == "no errors in wrong.json\n1 patch checked: no errors, 1 ignored\n")
    #expect(try place.run("validate", "--select", "PR0551", "wrong.json").status == 0)
    let unknown = try place.run("validate", "--select", "PR0159", "wrong.json")
    #expect(unknown.status == 2 && unknown.output == "")
    #expect(unknown.errors.hasPrefix("error: no code is, or begins with, 'PR0159'\n"))
    #expect(unknown.errors.contains("did you mean 'PR0109'"))
  }

  @Test func `the summary of a step is added to, where GitHub names one`() throws {
    try place.write(Self.wrong, to: "wrong.json")
    try place.write("before\n", to: "summary.md")
    place.environment["GITHUB_STEP_SUMMARY"] = place.path("summary.md")
    let outcome = try place.run("validate", "--output-format", "github", place.path("wrong.json"))
    #expect(outcome.status == 1)
    #expect(outcome.output.hasPrefix("::error file=wrong.json,line=1,endLine=1,col=35,"))
    let summary = String(decoding: try place.bytes("summary.md"), as: UTF8.self)
    #expect(summary.hasPrefix("before\n### patchrun validate\n"))
    #expect(summary.contains("| error | wrong.json:1:35 | PR0"))
    #expect(try place.run("validate", "wrong.json").status == 1)
    #expect(String(decoding: try place.bytes("summary.md"), as: UTF8.self) == summary)
    place.environment["GITHUB_STEP_SUMMARY"] = place.path("nowhere/summary.md")
    let unwritten = try place.run("validate", "--output-format", "github", "wrong.json")
    #expect(unwritten.status == 1 && unwritten.errors.hasPrefix("warning: the step summary "))
  }

  @Test func `paths are reported as the repository names them`() {
    func reported(_ path: String) -> String { PatchPaths.reported(path, in: "/work/repo") }
    #expect(reported("/work/repo/patches/a.json") == "patches/a.json")
    #expect(reported("./patches//a.json") == "patches/a.json")
    #expect(reported("/work/repository/a.json") == "/work/repository/a.json")
    #expect(reported("../a.json") == "../a.json")
    #expect(reported("-") == "<stdin>")
  }

  // MARK: The action

  /// Runs the script of the action.
  private func action(_ inputs: [String: String]) throws -> Workplace.Outcome {
    for name in inputs.keys { place.environment["PATCHRUN_\(name)"] = inputs[name] }
    place.environment["PATCHRUN_PROGRAM"] = CommandLineTool.path
    let script = URL(filePath: CommandLineTool.patches).deletingLastPathComponent()
      .appending(path: ".github/actions/validate/validate").path
    return try place.shell("exec bash '\(script)'").wait()
  }

  @Test func `the action checks lines of paths, and its inputs are not run`() throws {
    try place.write(Self.wrong, to: "one patch.json")
    try place.write(TestPatch.noise(), to: "patches/$(touch run).json")
    let outcome = try action([
      "PATHS": "one patch.json\n   patches/*.json  \n\n", "DENY_WARNINGS": "true",
      "SARIF_FILE": "found.sarif",
    ])
    #expect(outcome.status == 1)
    #expect(outcome.output.hasPrefix("::error file=one patch.json,"))
    #expect(outcome.output.hasSuffix("\n2 patches checked: 1 error\n"))
    #expect(!place.exists("run"))
    let sarif = try JSONSerialization.jsonObject(with: Data(try place.bytes("found.sarif")))
    #expect((sarif as? [String: Any])?["version"] as? String == "2.1.0")
  }

  @Test func `the action says what is wrong with its inputs`() throws {
    let outcome = try action(["DENY_WARNINGS": "yes"])
    #expect(outcome.status == 2)
    #expect(outcome.output == "::error title=patchrun validate::deny-warnings is true or false\n")
    #expect(try action(["DENY_WARNINGS": "false", "PATHS": "  "]).status == 2)
    let unknown = try action(["PATHS": "a.json", "SELECT": "PR9", "SARIF_FILE": "found.sarif"])
    #expect(unknown.status == 2 && !place.exists("found.sarif"))
  }

  @Test func `each input of the action is handed to its script`() throws {
    let folder = URL(filePath: CommandLineTool.patches).deletingLastPathComponent()
    let action = try String(
      contentsOf: folder.appending(path: ".github/actions/validate/action.yml"), encoding: .utf8)
    let script = try String(
      contentsOf: folder.appending(path: ".github/actions/validate/validate"), encoding: .utf8)
    let passed = action.matches(of: /(PATCHRUN_[A-Z_]+): \$\{\{ inputs\.([a-z-]+) \}\}/)
    #expect(passed.count == 9)
    for match in passed {
      #expect(script.contains("${\(match.1):-"))
      #expect(action.contains("\n  \(match.2):\n"))
    }
  }
}
