import PatchReference

/// The manual page `patchrun(1)`, made from the help of all commands.
struct ProgramManual {
  var root = CommandInfo.root

  func text() -> String {
    var page = ManualPage(
      root.name, section: 1, date: Patchrun.versionDate, release: "patchrun \(Patchrun.version)",
      summary: root.abstract.prefix(1).lowercased() + root.abstract.dropFirst().dropLast())
    synopsis(&page)
    page.section("Description")
    for paragraph in root.help.paragraphs { page.paragraph(paragraph) }
    add(root.help, to: &page, except: Self.ownSections)
    page.section("Commands")
    page.paragraph(
      "Results go to standard output, everything else to standard error. What all commands take:")
    page.list(common.map(entry))
    for command in commands { add(command, to: &page) }
    gathered("ENVIRONMENT", in: &page)
    gathered("FILES", in: &page)
    if let section = root.help.section("EXIT STATUS") {
      page.section("Exit status")
      page.list(section.entries.map { .init($0.term, $0.text) })
    }
    if let section = root.help.section("EXAMPLES") {
      page.section("Examples")
      page.code(section.entries.flatMap(\.lines))
    }
    gathered("SIGNALS", in: &page)
    page.section("See also")
    let others = [("patchrun-patch", 5), ("pactl", 1), ("pulseaudio", 1), ("jq", 1)].sorted {
      ($0.1, $0.0) < ($1.1, $1.0)
    }
    for (index, other) in others.enumerated() {
      page.macro(".Xr \(other.0) \(other.1)\(index == others.count - 1 ? "" : " ,")")
    }
    return page.text
  }

  /// The sections that the page has once for all commands.
  static let ownSections: Set<String> = [
    "EXAMPLES", "EXIT STATUS", "ENVIRONMENT", "FILES", "SIGNALS",
  ]
  private static let sharedSections: Set<String> = ["ENVIRONMENT", "FILES", "SIGNALS"]

  /// All commands and subcommands.
  private var commands: [CommandInfo] { root.shownSubcommands.flatMap(\.family) }

  private var leaves: [CommandInfo] { commands.filter(\.shownSubcommands.isEmpty) }

  /// The options that every command has.
  private var common: [ArgumentInfo] {
    (leaves.first?.options ?? []).filter { option in
      leaves.allSatisfy { $0.options.contains(option) }
    }
  }

  private func synopsis(_ page: inout ManualPage) {
    page.section("Synopsis")
    // groff begins a new line only at an `.Nm` without further macros on its line.
    for words in leaves.map(words) + ["Cm help Op Ar command ..."] {
      page.macro(".Nm")
      page.macro(".\(words)")
    }
  }

  /// The synopsis of a command in mdoc macros, with `[options]` for the options that its part of
  /// the page lists.
  private func words(of command: CommandInfo) -> String {
    var words = command.path.dropFirst().map { "Cm \(ManualPage.argument($0))" }
    if command.path.dropFirst().joined() == root.defaultSubcommand {
      words = words.map { "Oo \($0) Oc" }
    }
    let own = command.options.filter { !common.contains($0) }
    if !own.isEmpty { words.append("Oo Ar options Oc") }
    for positional in command.positionals {
      let word =
        "Ar \(ManualPage.argument(positional.valueName))" + (positional.isRepeating ? " ..." : "")
      words.append(positional.isOptional ? "Oo \(word) Oc" : word)
    }
    return words.joined(separator: " ")
  }

  private func add(_ command: CommandInfo, to page: inout ManualPage) {
    page.subsection(command.path.joined(separator: " "))
    page.paragraph(command.abstract)
    for paragraph in command.help.paragraphs { page.paragraph(paragraph) }
    page.list(
      command.positionals.map { argument in
        (".It Ar \(ManualPage.argument(argument.valueName))", text(of: argument), [])
      } + command.options.filter { !common.contains($0) }.map(entry))
    add(command.help, to: &page, except: Self.sharedSections)
  }

  /// Adds the sections of a help text, each with its heading.
  private func add(_ help: HelpText, to page: inout ManualPage, except others: Set<String>) {
    for section in help.sections where !others.contains(section.title) {
      page.paragraph("\(section.title.prefix(1) + section.title.dropFirst().lowercased()):")
      if section.title == "EXAMPLES" {
        page.code(section.entries.flatMap(\.lines))
      } else {
        page.list(section.entries.map { .init($0.term, $0.text) })
      }
    }
  }

  /// Adds a section with the entries of all commands under one heading, each term once.
  private func gathered(_ title: String, in page: inout ManualPage) {
    var entries: [ManualPage.Entry] = []
    for command in root.family {
      for entry in command.help.section(title)?.entries ?? [] {
        guard let known = entries.firstIndex(where: { $0.term == entry.term }) else {
          entries.append(.init(entry.term, entry.text))
          continue
        }
        guard !entries[known].text.contains(entry.text) else { continue }
        entries[known].text += ". `\(command.path.joined(separator: " "))`: \(entry.text)"
      }
    }
    guard !entries.isEmpty else { return }
    page.section(title)
    page.list(entries.sorted { $0.term < $1.term })
  }

  private func entry(_ option: ArgumentInfo) -> (
    head: String, text: String, entries: [ManualPage.Entry]
  ) {
    let names = option.names.map { name in
      let flag = "Fl \(ManualPage.escaped(String(name.dropFirst()), isCode: true))"
      return option.kind == .option ? "\(flag) Ar \(ManualPage.argument(option.valueName))" : flag
    }
    return (".It \(names.joined(separator: " , "))", text(of: option), [])
  }

  private func text(of argument: ArgumentInfo) -> String {
    var text = argument.abstract
    if !argument.values.isEmpty, !argument.values.allSatisfy(text.contains) {
      text += " One of \(argument.values.map { "`\($0)`" }.joined(separator: ", "))."
    }
    if let value = argument.defaultValue { text += " Default: `\(value)`." }
    return text
  }
}
