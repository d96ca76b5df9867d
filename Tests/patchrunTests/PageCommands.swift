import Foundation
import TestSupport
import Testing

/// A block of commands in a page, and the instructions in hidden comments.
///
/// The comment is on the line above the block:
///
/// - `<!-- not run: why -->`: the commands are parsed but not run.
/// - `<!-- while: patchrun patches/a.json -->`: the commands run while that plays.
/// - `<!-- ends with 1 -->`: the expected status of the commands.
struct CommandBlock: CustomTestStringConvertible {
  var page: String
  /// The line of the page where the block begins, from 1.
  var line: Int
  /// The commands, each on one line; continued lines are joined.
  var commands: [String]
  var reasonNotToRun: String?
  var background: String?
  var status: Int32 = 0

  var testDescription: String { "\(page):\(line)" }

  /// The blocks of shell commands and terminal transcripts in a page.
  static func blocks(ofPage page: String, _ text: String) -> [CommandBlock] {
    let lines = text.components(separatedBy: "\n")
    var blocks: [CommandBlock] = []
    var index = 0
    while index < lines.count {
      let language = lines[index]
      guard language == "```sh" || language == "```console",
        let end = lines[(index + 1)...].firstIndex(of: "```")
      else {
        index += 1
        continue
      }
      var body = Array(lines[(index + 1)..<end])
      let isTranscript = language == "```console"
      if isTranscript { body = body.filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) } }
      var block = CommandBlock(page: page, line: index + 1, commands: joined(body))
      if isTranscript { block.reasonNotToRun = "a transcript" }
      var above = index - 1
      while above >= 0, lines[above].hasPrefix("<!-- ") {
        block.read(comment: lines[above])
        above -= 1
      }
      blocks.append(block)
      index = end + 1
    }
    return blocks
  }

  private mutating func read(comment: String) {
    if let match = comment.wholeMatch(of: /<!-- not run: (.+) -->/) {
      reasonNotToRun = String(match.output.1)
    } else if let match = comment.wholeMatch(of: /<!-- while: (.+) -->/) {
      background = String(match.output.1)
    } else if let match = comment.wholeMatch(of: /<!-- ends with (\d+) -->/) {
      status = Int32(match.output.1) ?? 0
    }
  }

  /// The lines without comments; a line that ends with a backslash is joined with the next.
  private static func joined(_ lines: [String]) -> [String] {
    var commands: [String] = []
    var isOpen = false
    for line in lines where !line.isEmpty && (isOpen || !line.hasPrefix("#")) {
      let text = line.hasSuffix("\\") ? String(line.dropLast()) : line
      if isOpen { commands[commands.count - 1] += text } else { commands.append(text) }
      isOpen = line.hasSuffix("\\")
    }
    return commands
  }

  /// The words of each simple command in a line, without quotes and redirections.
  static func simpleCommands(in line: String) -> [[String]] {
    var commands: [[String]] = [[]]
    var word: String?
    var quote: Character?
    var isTarget = false
    func finish() {
      if let done = word, !isTarget { commands[commands.count - 1].append(done) }
      if word != nil { isTarget = false }
      word = nil
    }
    var inner: [[String]] = []
    var rest = line[...]
    while let character = rest.popFirst() {
      if let open = quote {
        if character == open { quote = nil } else { word = (word ?? "") + String(character) }
        continue
      }
      switch character {
      case "'", "\"":
        quote = character
        word = word ?? ""
      case " ", "\t": finish()
      case "|", "&", ";", "(", ")":
        finish()
        commands.append([])
      case ">", "<":
        // A number before it is a file descriptor.
        if word?.allSatisfy(\.isNumber) == true { word = nil }
        finish()
        isTarget = true
      case "#" where word == nil: rest = ""
      default: word = (word ?? "") + String(character)
      }
    }
    finish()
    // Commands in a substitution: $(patchrun ctl socket).
    for match in line.matches(of: /\$\(([^()]+)\)/) {
      inner += simpleCommands(in: String(match.output.1))
    }
    return (commands + inner).filter { !$0.isEmpty }
  }

  /// The arguments of each call of the program in a line.
  static func calls(in line: String) -> [[String]] {
    simpleCommands(in: line).compactMap { words in
      let rest = words.drop {
        $0 == "time" || $0 == "sudo" || $0 == "!" || $0.wholeMatch(of: /[A-Z_]+=.*/) != nil
      }
      guard let first = rest.first,
        first == "patchrun" || first.hasSuffix("/release/patchrun")
      else { return nil }
      return Array(rest.dropFirst())
    }
  }
}
