import AudioTypes
import AudioUnits
import Diagnostics
import Foundation
import PatchGraph
import PatchReference
import RenderCallbacks
import RenderCore
import RenderTaps
import TestSupport
import Testing

@testable import patchrun

/// Checks that the man pages are complete and that formatters accept them.
struct ManualTests {
  static let program = ProgramManual().text()
  static let language = PatchManual.text(
    date: Patchrun.versionDate, release: "patchrun \(Patchrun.version)")

  private static func isInstalled(_ name: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\(name)")
  }

  /// The page as a formatter shows it, without overstriking and in one line.
  private static func shown(_ page: String) throws -> String {
    let place = try Workplace()
    try place.write(page, to: "page")
    let outcome = try place.shell("mandoc -T utf8 -O width=120 page").wait()
    #expect(outcome.status == 0)
    var text = ""
    for character in outcome.output.unicodeScalars {
      if character == "\u{8}" {
        text.unicodeScalars.removeLast()
      } else {
        text.unicodeScalars.append(character)
      }
    }
    return text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
  }

  @Test
  func `the command prints both pages`() throws {
    let place = try Workplace()
    #expect(try place.run("man").output == Self.program)
    #expect(try place.run("man", "1").output == Self.program)
    #expect(try place.run("man", "5").output == Self.language)
    #expect(try place.run("man", "7").status == 2)
  }

  @Test(.enabled(if: isInstalled("mandoc")), arguments: [program, language])
  func `a page has nothing that mandoc warns of`(page: String) throws {
    let place = try Workplace()
    try place.write(page, to: "page")
    let outcome = try place.shell("mandoc -T lint -W warning page").wait()
    #expect(outcome.output.isEmpty && outcome.status == 0, "\(outcome.output)")
    try place.write(page + ".Bl -tag\n", to: "page")
    #expect(try place.shell("mandoc -T lint -W warning page").wait().status != 0)
  }

  @Test(.enabled(if: isInstalled("man") && isInstalled("groff")), arguments: [program, language])
  func `a page has nothing that groff warns of`(page: String) throws {
    let place = try Workplace()
    try place.write(page, to: "page")
    let line = "LC_ALL=C.UTF-8 MAN_KEEP_STDERR=1 man --warnings -l -Tutf8 -Z ./page > /dev/null"
    #expect(try place.shell(line).wait().errors == "")
    try place.write(page + "\\[nowhere]\n", to: "page")
    #expect(try place.shell(line).wait().errors.contains("nowhere"))
  }

  @Test(.enabled(if: isInstalled("man") && isInstalled("groff")))
  func `groff begins a line of the synopsis with each command`() throws {
    let place = try Workplace()
    try place.write(Self.program, to: "page")
    let line = "LC_ALL=C.UTF-8 MANWIDTH=100 man -l ./page | col -bx"
    let lines = try place.shell(line).wait().output.components(separatedBy: "\n")
    let begin = try #require(lines.firstIndex(of: "SYNOPSIS")) + 1
    let synopsis = lines[begin...].prefix { !$0.hasPrefix("DESCRIPTION") }
      .map { $0.trimmingCharacters(in: .whitespaces) }
    let leaves = CommandInfo.root.family.filter(\.shownSubcommands.isEmpty)
    for command in leaves where command.name != "run" {
      let words = command.path.joined(separator: " ")
      #expect(synopsis.contains { $0.hasPrefix(words) }, "\(words)")
    }
    #expect(synopsis.contains { $0.hasPrefix("patchrun [run]") })
    #expect(synopsis.count { $0.hasPrefix("patchrun ") } == leaves.count + 1)
  }

  @Test(.enabled(if: isInstalled("mandoc")))
  func `the page of the program has every command, option and exit status`() throws {
    let text = try Self.shown(Self.program)
    for command in CommandInfo.root.family {
      #expect(text.contains(command.path.joined(separator: " ")))
      let isProgram = command.path.count == 1
      #expect(isProgram || text.contains(command.abstract), "\(command.abstract)")
      for option in command.options {
        for name in option.names { #expect(text.contains(name), "\(name)") }
      }
      for entry in command.help.sections.flatMap(\.entries) {
        #expect(
          text.contains(entry.term) && (entry.text.isEmpty || text.contains(entry.text)),
          "\(entry.lines)")
      }
    }
    for title in ["ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES", "SIGNALS", "SEE ALSO"] {
      #expect(Self.program.contains(".Sh \(title)\n"))
    }
  }

  @Test(.enabled(if: isInstalled("mandoc")))
  func `the page of the language has every unit, setting, kind and rule`() throws {
    let text = try Self.shown(Self.language)
    for unit in UnitCatalog.standard.units.map({ $0.description }) {
      #expect(text.contains(unit.name) && text.contains(unit.constant))
      for property in unit.properties {
        #expect(text.contains(property.summary) && text.contains(property.constant))
      }
      for parameter in unit.parameters {
        #expect(text.contains(parameter.summary) && text.contains(parameter.constant))
      }
    }
    #expect(text.contains("Bass Booster") && text.contains("Treble Reducer"))
    for callback in CallbackCatalog.standard {
      #expect(text.contains(callback.summary))
      for setting in callback.settings { #expect(text.contains(setting.summary)) }
    }
    for tap in TapCatalog.ofPatches.kinds {
      #expect(text.contains(tap.summary))
      for setting in tap.settings { #expect(text.contains(setting.summary)) }
    }
    for rule in RuleCatalog.all { #expect(text.contains("\(rule.code) \(rule.name)")) }
    for key in ["schemaVersion", "streamFormats", "mBitsPerChannel", "curve", "\"op\""] {
      #expect(text.contains(key.filter { $0 != "\"" }))
    }
  }

  @Test(.enabled(if: isInstalled("mandoc")))
  func `whatever a text holds is shown as it is`() throws {
    var page = ManualPage(
      "a", section: 5, date: "November 21, 2026", release: "a 1", summary: "it's 'b' \\ c")
    let odd = #".Pp 'x' -1 a-b --c \fB ^~" Fl … °"#
    page.section("Odd things")
    page.paragraph(odd)
    page.code([odd, "'y", "", ".z"])
    page.list([.init("Fl", "Nm"), .init("\"a b\"", ".Sh X"), .init(".a", "`code` 'q'")])
    let shown = try Self.shown(page.text)
    #expect(shown.contains("\(odd) \(odd) 'y .z"), "\(shown)")
    #expect(shown.contains("Fl Nm \"a b\" .Sh X .a code 'q'"), "\(shown)")
    let place = try Workplace()
    try place.write(page.text, to: "page")
    #expect(try place.shell("mandoc -T lint -W warning page").wait().status == 0)
  }
}
