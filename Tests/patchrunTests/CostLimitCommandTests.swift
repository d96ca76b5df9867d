import Foundation
import TestSupport
import Testing

@testable import patchrun

/// Limits of a patch's cost on the command line: `--limit`, `--max-findings`, and the size of
/// reports.
@Suite struct CostLimitCommandTests {
  private static let formats = OutputFormat.allValueStrings

  /// Echoes of ten seconds that need 700 MB.
  private static let heavy = CostShape.echoes.text(200).replacing(
    #""delay": 0.01"#, with: #""delay": 10"#)

  @Test(arguments: formats)
  func `a report of ten thousand mistakes has fifty of them and a line`(format: String) throws {
    let place = try Workplace()
    try place.write(CostShape.unknownKeys.text(10_000), to: "patch.json")
    let outcome = try place.run("validate", "--output-format", format, "patch.json")
    #expect(outcome.status == 1)
    #expect(outcome.output.utf8.count < 250_000)
    #expect(outcome.output.contains("and 9,950 more PR0102"))
    let wider = try place.run(
      "validate", "--output-format", format, "--max-findings", "200", "patch.json")
    #expect(wider.status == 1)
    #expect(wider.output.contains("and 9,800 more PR0102"))
    // SARIF describes every rule, however many findings there are.
    #expect(wider.output.utf8.count > 3 * outcome.output.utf8.count / 2)
  }

  @Test func `totals count what is not shown`() throws {
    let place = try Workplace()
    try place.write(CostShape.unknownKeys.text(10_000), to: "patch.json")
    let text = try place.run("validate", "patch.json").output
    #expect(text.contains("10000 errors in patch.json"))
    let concise = try place.run("validate", "--output-format", "concise", "patch.json").output
    #expect(concise.contains("1 patch checked: 10000 errors"))
    #expect(concise.split(separator: "\n").count == 52)
    let json = try place.run("validate", "--output-format", "json", "patch.json").output
    #expect(json.contains("\"errors\": 10000"))
    let ignored = try place.run("validate", "--ignore", "PR0102", "patch.json")
    #expect(ignored.status == 0)
    #expect(ignored.output.contains("10000 ignored"))
  }

  @Test
  func
    `validate, render and run refuse what takes too much memory, and allow it when they are told to`()
    throws
  {
    let place = try Workplace()
    try place.write(Self.heavy, to: "patch.json")
    let checked = try place.run("validate", "--output-format", "concise", "patch.json")
    #expect(checked.status == 1)
    #expect(checked.output.contains("PR0231"))
    // With less memory than it would need.
    let rendered = try place.shell(
      "ulimit -v 4000000 && exec \"$PATCHRUN\" render patch.json -o out.wav --duration 0.01"
    ).wait()
    #expect(rendered.status == 1)
    #expect(rendered.errors.contains("PR0231"))
    #expect(try place.run("run", "patch.json").errors.contains("PR0231"))
    #expect(try place.run("validate", "--limit", "memory=2G", "patch.json").status == 0)
    // A limit can also be lowered.
    try place.write(CostShape.echoes.text(2), to: "small.json")
    #expect(try place.run("validate", "small.json").status == 0)
    #expect(try place.run("validate", "--limit", "memory=1M", "small.json").status == 1)
    #expect(
      try place.run("render", "--limit", "memory=1M", "small.json", "-o", "-").errors
        .contains("PR0231"))
  }

  @Test func `a document that is too long is not read`() throws {
    let place = try Workplace()
    let path = place.url.appending(path: "long.json").path
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    // A sparse file without blocks on the disk.
    #expect(unsafe truncate(path, 1_500_000_000) == 0)
    let outcome = try place.shell(
      "ulimit -v 4000000 && exec \"$PATCHRUN\" validate --output-format concise long.json"
    ).wait()
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("PR0026"))
    let piped = try place.shell(
      "head -c 50000000 /dev/zero | \"$PATCHRUN\" validate --output-format concise -"
    ).wait()
    #expect(piped.status == 1)
    #expect(piped.output.contains("PR0026"))
  }

  @Test(arguments: [
    (["--limit", "memory"], "has no '='"), (["--limit", "nods=5"], "did you mean 'nodes'"),
    (["--limit", "nodes=0"], "a whole number from 1"), (["--max-findings", "0"], "from 1 up"),
  ])
  func `a limit that is none is wrong usage`(options: [String], says: String) throws {
    let place = try Workplace()
    try place.write(CostShape.echoes.text(1), to: "patch.json")
    for command in ["validate", "run", "render", "show"] {
      let rest = command == "render" ? ["-o", "-"] : []
      let outcome = try place.start([command] + options + ["patch.json"] + rest).wait()
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains(says), "\(outcome.errors)")
    }
  }

  @Test func `the help of --limit names each limit with what is usual`() throws {
    let help = try Workplace().run("help", "validate").output
    let words = help.split { $0.isWhitespace }.joined(separator: " ")
    for text in ["memory: bytes", "384M", "callbacks: callbacks in one chain, 256"] {
      #expect(words.contains(text), "\(text)")
    }
  }

  /// Patches that are meant to exhaust time or memory, generated because they are large.
  @Test(arguments: CostShape.allCases)
  func `a large patch of one shape takes little time and memory and has a short report`(
    shape: CostShape
  ) throws {
    let place = try Workplace()
    try place.write(shape.text(shape.usualCount * 5), to: "patch.json")
    // The limit is for a debug build; a release build takes about a tenth of the time.
    let outcome = try place.shell(
      "ulimit -t 20 && exec \"$PATCHRUN\" validate --output-format concise patch.json"
    ).wait()
    #expect([0, 1].contains(outcome.status), "\(outcome.errors.prefix(1000))")
    #expect(outcome.output.utf8.count < 50_000)
    // Valid patches are rendered, others are not.
    let rendered = try place.shell(
      "ulimit -t 40 && exec \"$PATCHRUN\" render patch.json -o out.wav --duration 0.01 --allow-silence"
    ).wait()
    #expect(rendered.status == outcome.status, "\(rendered.errors.prefix(1000))")
  }
}
