import Diagnostics
import Foundation
import PatchGraph
import PatchReference
import TestSupport
import Testing

@testable import patchrun

/// The completions of the program itself, and as the shells show them.
struct CompletionTests {
  private static func words(_ words: String...) -> [String] {
    CompletionRequest(words: words).answer().candidates.map(\.word)
  }

  // MARK: The program

  @Test
  func `commands are offered, and the files of the one that need not be named`() throws {
    let answer = CompletionRequest(words: [""]).answer()
    let names = answer.candidates.map(\.word)
    #expect(names == CommandInfo.root.shownSubcommands.map(\.name) + ["help"])
    #expect(answer.files == ["json", "jsonc"])
    #expect(answer.candidates.allSatisfy { !$0.summary.isEmpty })
    #expect(Self.words("ctl", "st") == ["status", "start", "stop"])
    #expect(Self.words("help", "ctl", "g") == ["get"])
    #expect(Self.words("mix.json", "").isEmpty)
    #expect(CompletionRequest(words: ["mix.json", ""]).answer().files == nil)
    #expect(CompletionRequest(words: ["validate", "a.json", ""]).answer().files != nil)
    #expect(CompletionRequest(words: ["diff", "a.json", "b.json", ""]).answer().files == nil)
  }

  @Test
  func `options are offered until they have been given`() {
    #expect(Self.words("mix.json", "--dur") == ["--duration"])
    #expect(Self.words("--dur") == ["--duration"])
    #expect(Self.words("render", "--quality", "1", "--q") == ["--quiet"])
    #expect(Self.words("run", "--set", "a=1", "--se") == ["--set"])
    #expect(Self.words("run", "-q") == ["-q"])
    #expect(Self.words("run", "--quiet=", "--bogus=").isEmpty)
    #expect(Self.words("run", "--", "--dur").isEmpty)
    #expect(CompletionRequest(words: ["run", "--", ""]).answer().files != nil)
  }

  @Test
  func `the values of options are offered, in both spellings`() {
    #expect(
      Self.words("show", "--format", "") == ["text", "json", "patch", "dot", "mermaid", "svg"])
    #expect(Self.words("show", "--format=s") == ["--format=svg"])
    #expect(Self.words("render", "--color=a") == ["--color=auto", "--color=always"])
    let file = CompletionRequest(words: ["render", "a.json", "--output=b"]).answer()
    #expect(file.files == [] && file.prefix == "--output=")
    #expect(Self.words("units", "i") == ["iPodEQ"])
    #expect(Self.words("explain", "PR040").contains("PR0405"))
    #expect(Self.words("explain", "-10868") == [])
    #expect(Self.words("explain", "format/mixer-r") == ["format/mixer-rates"])
    #expect(Self.words("validate", "--ignore", "").count == RuleCatalog.all.count)
    #expect(Self.words("new", "") == StarterPatch.all.map(\.name))
  }

  @Test
  func `what can be set in a patch is offered, be it written there or not`() throws {
    let place = try Workplace()
    let patch = place.path("mix.json")
    #expect(try place.run("new", "eq", "-o", patch).status == 0)
    let volume = "/nodes/mixer/inputs/0/parameters/volume="
    #expect(Self.words("run", patch, "--set", "/nodes/mixer/inputs/0/parameters/v") == [volume])
    let answer = CompletionRequest(words: ["run", patch, "--set", "/nodes/eq/prop"]).answer()
    #expect(answer.goesOn)
    #expect(answer.candidates.map(\.word).contains("/nodes/eq/properties/presentPreset="))
    let presets = Self.words("run", patch, "--set", "/nodes/eq/properties/presentPreset=Ba")
    #expect(presets.contains("/nodes/eq/properties/presentPreset=Bass Booster"))
    #expect(
      Self.words("run", patch, "--set=/nodes/mixer/inputs/0/properties/meteringMode=t")
        == ["--set=/nodes/mixer/inputs/0/properties/meteringMode=true"])
    #expect(Self.words("run", "gone.json", "--set", "/").isEmpty)
  }

  @Test
  func `of a large document the next step of each pointer is offered`() throws {
    let place = try Workplace()
    let nodes = (0..<200).map { "\"n\($0)\": { \"component\": \"MultichannelMixer\" }" }
    try place.write("{ \"nodes\": { \(nodes.joined(separator: ", ")) } }", to: "large.json")
    let patch = place.path("large.json")
    #expect(Self.words("run", patch, "--set", "") == ["/nodes/"])
    #expect(Self.words("run", patch, "--set", "/nodes/").count == 200)
    #expect(Self.words("run", patch, "--set", "/nodes/n19/").contains("/nodes/n19/component="))
  }

  @Test
  func `what is not a request is answered with nothing`() throws {
    let place = try Workplace()
    for arguments in [
      ["---complete"], ["---complete", "bash"], ["---complete", "bash", "x", "y"],
    ] {
      let outcome = try place.start(arguments).wait()
      #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.errors.isEmpty)
    }
    let outcome = try place.run("--generate-completion-script", "bahs")
    #expect(outcome.status == 2 && outcome.errors.contains("did you mean 'bash'?"))
    place.environment["SHELL"] = "/bin/zsh"
    #expect(
      try place.run("--generate-completion-script").output == CompletionScript.zsh.text)
    #expect(
      try place.run("--generate-completion-script=fish").output == CompletionScript.fish.text)
  }

  // MARK: The shells

  /// Lines, and the words that complete them. Readline splits words at `=` and completes the part
  /// after it.
  static let lines: [(line: String, words: [String])] = [
    ("patchrun r", ["run", "render", "response", "recover"]),
    ("patchrun m", ["man", "mcp", "measure", "mix.json", "my eq.json"]),
    ("patchrun ctl st", ["status", "start", "stop"]),
    ("patchrun show --format ", ["text", "json", "patch", "dot", "mermaid", "svg"]),
    ("patchrun show --format=s", ["--format=svg"]), ("patchrun mix.json --du", ["--duration"]),
    ("patchrun validate s", ["sub/"]), ("patchrun validate sub/", ["sub/deep.jsonc"]),
    (#"patchrun run my\ "#, ["my eq.json"]),
    ("patchrun render mix.json --output=o", ["--output=other.txt"]),
    ("patchrun units i", ["iPodEQ"]), ("./bin/patchrun explain PR0405", ["PR0405"]),
    (
      "patchrun mix.json --set /nodes/mixer/outputs/0/parameters/v",
      ["/nodes/mixer/outputs/0/parameters/volume="]
    ),
    ("patchrun man ", ["1", "5"]), ("patchrun mix.json x", []),
  ]

  /// A folder with files to complete, and the program in PATH.
  private static func place(_ shell: CompletionScript) throws -> Workplace {
    let place = try Workplace()
    try FileManager.default.createDirectory(
      at: place.url.appending(path: "bin"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: place.path("bin/patchrun"), withDestinationPath: CommandLineTool.path)
    place.environment["PATH"] =
      place.path("bin") + ":" + (place.environment["PATH"] ?? "/usr/bin:/bin")
    place.environment["HOME"] = place.url.path
    place.environment["LC_ALL"] = "C.UTF-8"
    place.environment["TERM"] = "dumb"
    #expect(try place.run("new", "mixer-host", "-o", "mix.json").status == 0)
    for name in ["my eq.json", "sub/deep.jsonc", "sub/not.txt", "other.txt"] {
      try place.write("{}", to: name)
    }
    let script = try place.run("--generate-completion-script", shell.rawValue)
    try place.write(script.output, to: "script")
    return place
  }

  private static func isInstalled(_ shell: String) -> Bool {
    ["/bin/", "/usr/bin/"].contains {
      FileManager.default.isExecutableFile(atPath: $0 + shell)
    }
  }

  /// The lines of a result after `== ` and the number of a line of `lines`.
  private static func results(_ output: String) -> [[String]] {
    var results: [[String]] = Array(repeating: [], count: lines.count)
    var index = -1
    for line in output.split(separator: "\n") {
      if line.hasPrefix("== ") {
        index = Int(line.dropFirst(3)) ?? -1
      } else if results.indices.contains(index) {
        results[index].append(String(line.prefix { $0 != "\t" }))
      }
    }
    return results
  }

  @Test(.enabled(if: isInstalled("bash")))
  func `bash offers them`() throws {
    let place = try Self.place(.bash)
    var script = """
      source ./script
      try() {
        COMP_LINE=$2
        shift
        COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2)) COMP_POINT=${#COMP_LINE} COMPREPLY=()
        local current=${COMP_WORDS[COMP_CWORD]}
        [[ $current == = ]] && current=
        _patchrun "${COMP_WORDS[0]}" "$current" ""
        printf '%s\\n' "${COMPREPLY[@]}"
      }
      complete -p patchrun

      """
    for (index, line) in Self.lines.enumerated() {
      // The words as readline splits them.
      let words = line.line.replacing("=", with: " = ").replacing("\\ ", with: "\u{1}")
        .split(separator: " ", omittingEmptySubsequences: true).map {
          "'\($0.replacing("\u{1}", with: "\\ "))'"
        }
      let last = line.line.hasSuffix(" ") && !line.line.hasSuffix("\\ ") ? " ''" : ""
      script +=
        "echo '== \(index)'; try \(index) '\(line.line)' \(words.joined(separator: " "))\(last)\n"
    }
    try place.write(script, to: "drive")
    let outcome = try place.shell("bash --norc --noprofile drive").wait()
    #expect(outcome.errors.isEmpty && outcome.output.contains("-F _patchrun patchrun"))
    for (line, result) in zip(Self.lines, Self.results(outcome.output)) {
      let expected = line.words.map { word in
        let end = word.hasPrefix("--") ? word.split(separator: "=").last.map(String.init) : nil
        return (end ?? word).split(separator: "/").joined(separator: "/") == "sub"
          ? "sub" : end ?? word
      }
      #expect(Set(result) == Set(expected), "\(line.line)")
    }
  }

  @Test(.enabled(if: isInstalled("fish")))
  func `fish offers them, with what they are`() throws {
    let place = try Self.place(.fish)
    var script = "source ./script\n"
    for (index, line) in Self.lines.enumerated() {
      script += "echo '== \(index)'\ncomplete -C '\(line.line.replacing("\\", with: "\\\\"))'\n"
    }
    try place.write(script, to: "drive")
    let outcome = try place.shell("fish --no-config drive").wait()
    #expect(outcome.errors.isEmpty)
    #expect(outcome.output.contains("iPodEQ\tEqualizes with one of"))
    for (line, result) in zip(Self.lines, Self.results(outcome.output)) {
      #expect(Set(result) == Set(line.words), "\(line.line)")
    }
  }

  @Test(.enabled(if: isInstalled("zsh")))
  func `zsh offers them`() throws {
    let place = try Self.place(.zsh)
    // Zsh in a pseudoterminal, with a widget that inserts all completions into the line.
    var script = #"""
      zmodload zsh/zpty
      zpty z 'PS1= PS2= zsh -f -i'
      zpty -w z 'unsetopt zle_bracketed_paste; PROMPT=; autoload -Uz compinit; compinit -u -D'
      zpty -w z 'source ./script; _all() { _main_complete; compstate[insert]=all; compstate[list]= }'
      zpty -w z 'zle -C all complete-word _all'
      zpty -w z 'show() { zle all; print -r -- "<<$BUFFER>>"; BUFFER= }; zle -N show'
      zpty -w z 'bindkey "^X" show; print READ""Y'
      zpty -r -m z out '*READY*'
      try() {
        zpty -w -n z "$2"$'\x18'
        zpty -r -m z out '*<<*>>*'
        print -r -- "== $1"
        print -rl -- "${(@Q)${(z)${${${out##*<<}%%>>*}#${2% *} }}}"
      }

      """#
    for (index, line) in Self.lines.enumerated() {
      script += "try \(index) '\(line.line)'\n"
    }
    try place.write(script, to: "drive")
    let outcome = try place.shell("zsh -f drive").wait()
    for (line, result) in zip(Self.lines, Self.results(outcome.output)) {
      // A line without completions is unchanged.
      let typed = line.line.split(separator: " ").last.map(String.init)
      let offered = line.words.isEmpty ? result.filter { $0 != typed } : result
      if line.line.hasSuffix("\\ ") {
        #expect(result.last?.hasSuffix("eq.json") == true)
      } else {
        #expect(Set(offered) == Set(line.words), "\(line.line)")
      }
    }
  }

  @Test(.enabled(if: PrivatePulse.isInstalled && isInstalled("fish")))
  func `the running patches, their settings and their values are offered`() throws {
    let pulse = try PrivatePulse()
    let place = try Self.place(.fish)
    for (name, value) in pulse.environment where name != "PATH" && name != "HOME" {
      place.environment[name] = value
    }
    let run = try place.start(["run", "mix.json"])
    #expect(run.waitForErrors("sink out"), "\(run.errorsSoFar)")
    let lines = [
      "patchrun ctl status --name ", "patchrun ctl get /nodes/mixer/outp",
      "patchrun ctl set /nodes/mixer/inputs/0/parameters/",
      "patchrun ctl set /nodes/mixer/inputs/0/properties/meteringMode ", "patchrun run --sink ",
    ]
    try place.write(
      "source ./script\n" + lines.map { "complete -C '\($0)'\necho ==\n" }.joined(), to: "drive")
    let output = try place.shell("fish --no-config drive").wait().output
    let parts = output.split(separator: "==\n", omittingEmptySubsequences: false).map { part in
      part.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
    }
    #expect(parts[0] == ["mix"])
    #expect(parts[1].contains("/nodes/mixer/outputs/0/parameters/volume"))
    #expect(parts[1].contains("/nodes/mixer/outputs"))
    #expect(
      parts[2].sorted()
        == ["enable", "pan", "volume"].map { "/nodes/mixer/inputs/0/parameters/\($0)" })
    #expect(parts[3].contains("true") && parts[3].contains("false"))
    #expect(parts[4].contains("out"))
    #expect(try place.run("ctl", "stop").status == 0)
    #expect(try run.wait().status == 0)
  }
}
