import ArgumentParser

/// A request for shell completion. The scripts of all three shells ask the program, so that they
/// offer the same words, and only what this version takes.
///
/// A request is `patchrun ---complete SHELL INDEX WORD…`: the unquoted words from the program's
/// name on, and the index of the one that is typed. The answer is a line of options, then one line
/// for each candidate: the whole word and, after a tab, its description.
struct CompletionRequest {
  /// The words after the program's name, the last being the one that is typed.
  var words: [String]

  var current: String { words.last ?? "" }

  /// The candidates and what else the shell should offer.
  struct Answer: Equatable {
    var candidates: [Candidate] = []
    /// The endings of files to offer as well (empty for all files); `nil` for no files.
    var files: [String]?
    /// Whether folders are offered as well.
    var folders = false
    /// The beginning of the word that is not part of a file name, such as `--output=`.
    var prefix = ""
    /// Whether the candidates are incomplete words, so that no blank follows.
    var goesOn = false
  }

  struct Candidate: Equatable {
    var word: String
    var summary: String

    init(_ word: String, _ summary: String = "") {
      self.word = word
      self.summary = summary
    }
  }

  /// - Parameter arguments: The arguments after `---complete`.
  init?(_ arguments: some Sequence<String>) {
    let arguments = Array(arguments)
    guard arguments.count >= 3, let index = Int(arguments[1]), index >= 1 else { return nil }
    var words = Array(arguments.dropFirst(3).prefix(index))
    while words.count < index { words.append("") }
    self.words = words
  }

  init(words: [String]) { self.words = words }

  // MARK: Answers

  /// The completions of the last word.
  func answer(_ root: CommandInfo = .root) -> Answer {
    var place = Place(command: root)
    for word in words.dropLast() { place.step(over: word) }
    if let option = place.pending {
      return value(of: option, in: place, typed: current, prefix: "")
    }
    if !place.isBehindTerminator {
      if current.hasPrefix("--"), let equals = current.firstIndex(of: "=") {
        let name = String(current[..<equals])
        guard let option = place.options.first(where: { $0.names.contains(name) }),
          option.kind == .option
        else { return Answer() }
        let typed = String(current[current.index(after: equals)...])
        return value(of: option, in: place, typed: typed, prefix: name + "=")
      }
      if current.hasPrefix("-") { return options(at: place) }
    }
    var answer = Answer()
    if place.positionalsSeen == 0, place.given.isEmpty, !place.isBehindTerminator {
      answer.candidates = place.named.map { Candidate($0.name, $0.abstract) }
    }
    let positionals = place.command.positionals
    guard let last = positionals.last else { return answer.matching(current) }
    let isPast = place.positionalsSeen >= positionals.count
    guard !isPast || last.isRepeating else { return Answer() }
    let argument = isPast ? last : positionals[place.positionalsSeen]
    var more = value(of: argument, in: place, typed: current, prefix: "")
    more.candidates = answer.candidates + more.candidates
    return more.matching(current)
  }

  /// The options that are not given yet or may be repeated.
  private func options(at place: Place) -> Answer {
    var answer = Answer()
    for option in place.options where option.isRepeating || !place.given.contains(option) {
      let hasLongName = option.names.contains { $0.hasPrefix("--") }
      for name in option.names where name.hasPrefix(current) {
        // A short name is offered only without a long one, or when it is typed.
        guard name.hasPrefix("--") || !hasLongName || name == current else { continue }
        answer.candidates.append(Candidate(name, option.abstract))
      }
    }
    return answer
  }

  /// The values of an argument, each with `prefix` in front.
  private func value(
    of argument: ArgumentInfo, in place: Place, typed: String, prefix: String
  ) -> Answer {
    var answer = Answer()
    answer.prefix = prefix
    switch argument.completion {
    case .none: answer.candidates = argument.values.map { Candidate($0) }
    case .list(let values): answer.candidates = values.map { Candidate($0) }
    case .files(let endings): answer.files = endings
    case .folders: answer.folders = true
    case .custom:
      answer.candidates = custom(argument, in: place, typed: typed)
      // A pointer with `=` still needs its value.
      answer.goesOn =
        !answer.candidates.isEmpty
        && answer.candidates.allSatisfy { $0.word.hasSuffix("=") || $0.word.hasSuffix("/") }
    }
    answer.candidates = answer.candidates.filter { $0.word.hasPrefix(typed) }
    for index in answer.candidates.indices {
      answer.candidates[index].word = prefix + answer.candidates[index].word
    }
    return answer
  }

  /// Calls the completion function of the command. A candidate may contain a tab and its
  /// description.
  private func custom(
    _ argument: ArgumentInfo, in place: Place, typed: String
  ) -> [Candidate] {
    let name =
      argument.kind == .positional
      ? "positional@\(place.command.positionals.firstIndex(of: argument) ?? 0)"
      : argument.preferredName
    let words = ["patchrun"] + words.dropLast() + [typed]
    let call =
      ["---completion"] + place.command.path.dropFirst() + ["--", name, "\(words.count - 1)"]
      + ["\(typed.count)"] + words
    do {
      _ = try Patchrun.parseAsRoot(call)
      return []
    } catch {
      guard Patchrun.exitCode(for: error) == .success else { return [] }
      return Patchrun.fullMessage(for: error).split(separator: "\n").map { line in
        let parts = line.split(separator: "\t", maxSplits: 1)
        return Candidate(String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
      }
    }
  }
}

extension CompletionRequest {
  /// The command and its arguments that precede the typed word.
  private struct Place {
    var command: CommandInfo
    /// The options that precede the word.
    var given: [ArgumentInfo] = []
    /// The option whose value comes next.
    var pending: ArgumentInfo?
    var positionalsSeen = 0
    var isBehindTerminator = false
    /// Whether `help` precedes the word, so that names of commands follow.
    var isHelp = false
    /// The commands whose names may follow.
    var named: [CommandInfo]

    init(command: CommandInfo) {
      self.command = command
      named = command.shownSubcommands
      enterDefault()
      if let help = command.subcommand("help") { named.append(help) }
    }

    var options: [ArgumentInfo] { isHelp ? [] : command.options }

    mutating func step(over word: String) {
      if pending != nil {
        pending = nil
        return
      }
      if !isBehindTerminator {
        if word == "--" {
          isBehindTerminator = true
          return
        }
        if word.hasPrefix("-"), word.count > 1 {
          let name = String(word.prefix { $0 != "=" })
          guard let option = command.options.first(where: { $0.names.contains(name) }) else {
            return
          }
          given.append(option)
          if option.kind == .option, !word.contains("=") { pending = option }
          return
        }
        if positionalsSeen == 0, let next = named.first(where: { $0.name == word }) {
          enter(next)
          return
        }
      }
      positionalsSeen += 1
    }

    private mutating func enter(_ next: CommandInfo) {
      if next.name == "help" {
        isHelp = true
        named = CommandInfo.root.shownSubcommands
        command = next
        return
      }
      command = isHelp ? command : next
      named = next.shownSubcommands
      enterDefault()
    }

    /// A default subcommand takes its arguments beside the names of other subcommands.
    private mutating func enterDefault() {
      guard let name = command.defaultSubcommand, let meant = command.subcommand(name) else {
        return
      }
      command = meant
    }
  }
}

extension CompletionRequest.Answer {
  fileprivate func matching(_ typed: String) -> Self {
    var answer = self
    answer.candidates = candidates.filter { $0.word.hasPrefix(typed) }
    return answer
  }

  /// The answer in the form that the scripts parse. The first line has the length of the prefix and
  /// then, as far as they apply, `files` with the endings after a colon, `folders`, and `goesOn`.
  var text: String {
    var first = ["prefix:\(prefix.count)"]
    if let files { first.append("files:" + files.joined(separator: ",")) }
    if folders { first.append("folders") }
    if goesOn { first.append("goesOn") }
    var lines = [first.joined(separator: " ")]
    for candidate in candidates {
      let summary = candidate.summary.map { $0 == "\n" || $0 == "\t" ? " " : String($0) }.joined()
      lines.append(summary.isEmpty ? candidate.word : "\(candidate.word)\t\(summary)")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
