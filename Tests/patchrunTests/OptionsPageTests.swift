import Foundation
import TestSupport
import Testing

@testable import patchrun

/// The page of options, `.github/manual/options.md`, is generated from the help of the commands.
///
/// `PATCHRUN_REPRINT=1 swift test --filter OptionsPageTests` rewrites it.
@Suite struct OptionsPageTests {
  private static let file = House.root.appending(path: ".github/manual/options.md")

  /// An option, and the commands that have it with the same help.
  private struct Row {
    var option: ArgumentInfo
    var commands: [String]

    var names: String {
      option.names.map { name in
        option.kind == .option && name == option.preferredName
          ? "`\(name) \(option.valueName.replacing("|", with: "\\|"))`" : "`\(name)`"
      }.joined(separator: ", ")
    }
  }

  /// The options by name, each once if its help is the same in all commands.
  private static func rows() -> [Row] {
    var rows: [Row] = []
    for command in CommandInfo.root.family where command.subcommands.isEmpty {
      let name = command.path.dropFirst().joined(separator: " ")
      for option in command.options {
        let same = rows.firstIndex {
          $0.option.names == option.names && $0.option.abstract == option.abstract
        }
        if let same {
          rows[same].commands.append(name)
        } else {
          rows.append(Row(option: option, commands: [name]))
        }
      }
    }
    return rows.sorted {
      ($0.option.preferredName, $0.commands.joined()) < (
        $1.option.preferredName, $1.commands.joined()
      )
    }
  }

  static func page() -> String {
    let rows = rows()
    let count = CommandInfo.root.family.count { $0.subcommands.isEmpty }
    var text = """
      # Which options are there?

      `patchrun help COMMAND` says which of them a command takes. This page is printed from the same words.

      | Option | Of | What it does |
      | --- | --- | --- |

      """
    for row in rows where !["--help", "--version"].contains(row.option.preferredName) {
      let commands = row.commands.count >= count - 2 ? "all" : row.commands.joined(separator: ", ")
      let words = row.option.abstract.replacing("|", with: "\\|").replacing("<", with: "&lt;")
        .replacing("*", with: "\\*")
      text += "| \(row.names) | \(commands) | \(words) |\n"
    }
    return text + """

      `-h`, `--help` print a command's help; `-V`, `--version` the version. Colours: `NO_COLOR` and `FORCE_COLOR` are honoured.

      """
  }

  @Test func `the page of options has what the commands say`() throws {
    let page = Self.page()
    if ProcessInfo.processInfo.environment["PATCHRUN_REPRINT"] != nil {
      try page.write(to: Self.file, atomically: true, encoding: .utf8)
    }
    #expect(
      page == (try String(contentsOf: Self.file, encoding: .utf8)),
      "print it again: PATCHRUN_REPRINT=1 swift test --filter OptionsPageTests")
  }

  @Test func `each option of each command is on the page`() {
    let page = Self.page()
    for command in CommandInfo.root.family {
      for option in command.options { #expect(page.contains("`\(option.preferredName)")) }
    }
  }

  @Test func `the page of commands has each command`() throws {
    let file = House.root.appending(path: ".github/manual/commands.md")
    let page = try String(contentsOf: file, encoding: .utf8)
    for name in Patchrun.commandNames where name != "run" {
      #expect(page.contains("| `patchrun \(name)"), "\(name)")
    }
  }
}
