import ArgumentParser
import Diagnostics
import Glibc

struct Patchrun: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "patchrun",
    abstract: "Runs audio graphs that are written as JSON.",
    discussion: """
      A patch is a JSON document that names audio units, connections and stream formats. It runs \
      live on a PulseAudio server, or offline to a file.

      'patchrun help COMMAND' says more about a command, 'patchrun man' and 'patchrun man 5' print \
      the manual, and '--generate-completion-script' with bash, zsh or fish a script for that \
      shell. '-V' or '--version' prints the version; with '--verbose' also which kernel class is \
      used, which '--kernel' chooses.

      EXAMPLES:
        patchrun new mixer-host -o mix.json
        patchrun mix.json --duration 10
        patchrun validate mix.json
        patchrun render mix.json --duration 5 -o mix.wav
        patchrun explain PR0405

      EXIT STATUS:
        0  fine
        1  the patch is wrong, or has findings
        2  wrong usage
        3  no server, no device or no file: nothing has begun
        4  a failure while running
        130  interrupted: a render by Ctrl-C, a live run by a second one

      ENVIRONMENT:
        NO_COLOR  set to anything, it turns colours off where --color is auto
        FORCE_COLOR  set to anything but 0, it turns colours on where --color is
                     auto, also in files and pipes, if NO_COLOR is not set
        CLICOLOR_FORCE  the same as FORCE_COLOR
        TERM  'dumb' is a terminal without colours
        PATCHRUN_KERNEL  the kernel class, like --kernel of 'run' and 'render'
        PATCHRUN_CACHE  the absolute path of the cache folder, or 'off' for none
        XDG_CACHE_HOME  contains the cache folder 'patchrun' if PATCHRUN_CACHE is
                        not set
        HOME  contains .cache/patchrun if XDG_CACHE_HOME is not set
        SHELL  the shell for --generate-completion-script, if the option names
               none

      FILES:
        ~/.cache/patchrun  tables that take long to compute: the head data of a
                           3DMixer with HRTF. Up to 64 MB; it may be deleted
                           at any time
      """,
    version: "patchrun \(version)",
    subcommands: [
      Run.self, Render.self, Validate.self, TestCommand.self, Explain.self, Fmt.self, New.self,
      Diff.self, Show.self,
      ResponseCommand.self, Compare.self, Measure.self, Bench.self, Recover.self, Batch.self,
      ImportCommand.self, ExportCommand.self, PresetCommand.self, Units.self, Devices.self,
      Doctor.self, Schema.self, Lsp.self, MCP.self, Ctl.self, Man.self,
    ],
    defaultSubcommand: Run.self)

  static var version: String { Program.version }
  /// The date of this version in the manual pages.
  static let versionDate = "November 21, 2026"

  static var commandNames: [String] {
    configuration.subcommands.compactMap { $0.configuration.commandName }
  }

  /// Answers a completion request of a shell and ends the process; returns for any other arguments.
  private static func answerShell(_ arguments: [String]) {
    if arguments.first == "---complete" {
      let answer = CompletionRequest(arguments.dropFirst())?.answer()
      StandardStream.output.put(answer?.text ?? "")
      Glibc.exit(ExitStatus.success)
    }
    let option = "--generate-completion-script"
    guard let first = arguments.first, first == option || first.hasPrefix(option + "=") else {
      return
    }
    let named =
      first == option ? arguments.dropFirst().first : String(first.dropFirst(option.count + 1))
    let shell = named ?? environmentVariable("SHELL")?.split(separator: "/").last.map(String.init)
    guard let script = CompletionScript(rawValue: shell ?? "") else {
      let names = CompletionScript.allCases.map(\.rawValue)
      PlainAppearance().report(
        "error", "there is no completion for the shell \(quoted(shell ?? ""))",
        help: [didYouMean(shell ?? "", among: names) ?? "there is for \(listed(names))"])
      Glibc.exit(ExitStatus.wrongUsage)
    }
    let number = StandardStream.output.put(script.text)
    Glibc.exit(number == 0 ? ExitStatus.success : ExitStatus.unavailable)
  }

  /// Answers a request for the version and ends the process.
  private static func answer(_ arguments: [String]) -> Never {
    let text: String
    do throws(CommandFailure) { text = try VersionRequest(arguments).text() } catch {
      PlainAppearance().report(error)
      Glibc.exit(error.status)
    }
    let number = StandardStream.output.put(text)
    Glibc.exit(number == 0 ? ExitStatus.success : ExitStatus.unavailable)
  }

  /// Parses the arguments to a command. A negative number after an option is its value.
  static func command(of arguments: [String]) throws -> any ParsableCommand {
    do { return try parsed(arguments) } catch {
      let said = message(for: error)
      guard let joined = CommandNames.joiningNegativeNumber(in: arguments, after: said) else {
        throw error
      }
      return try command(of: joined)
    }
  }

  /// Parses the arguments to a command.
  ///
  /// A command that is named first parses its own arguments, because parsing with all commands
  /// takes longer than the rest of the start. If it fails (help and version included), the whole
  /// program parses them and gives the message.
  private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    let named = configuration.subcommands.first {
      $0.configuration.commandName == arguments.first && $0.configuration.subcommands.isEmpty
    }
    if let named, let command = try? named.parseAsRoot(Array(arguments.dropFirst())),
      type(of: command) == named
    {
      return command
    }
    return try parseAsRoot(arguments)
  }

  /// Runs the command and ends the process.
  static func start(_ arguments: [String]) -> Never {
    answerShell(arguments)
    let arguments = CommandNames.normalized(arguments)
    if VersionRequest.isOne(arguments) { answer(arguments) }
    // A short render takes as long as a look at all commands.
    if arguments.first != "render", let failure = CommandNames.failure(in: arguments) {
      PlainAppearance().report("error", failure.message, help: failure.help)
      Glibc.exit(failure.status)
    }
    TableCache.apply()
    if arguments.first == "render", let task = RenderTask.plain(Array(arguments.dropFirst())) {
      Glibc.exit(task.performReporting())
    }
    do {
      var command = try command(of: arguments)
      try command.run()
      Glibc.exit(ExitStatus.success)
    } catch let code as ExitCode {
      Glibc.exit(code.rawValue)
    } catch {
      let text = fullMessage(for: error)
      guard exitCode(for: error) != .success else {
        // Help and version.
        let number = StandardStream.output.put(text + "\n")
        Glibc.exit(number == 0 ? ExitStatus.success : ExitStatus.unavailable)
      }
      // In the form of all other errors.
      let isError = text.hasPrefix("Error: ")
      let words = isError ? "e" + text.dropFirst() : text
      // The message repeats the arguments, so control characters and colours in it are escaped.
      StandardStream.error.put(printableLines(String(words)) + "\n")
      Glibc.exit(ExitStatus.wrongUsage)
    }
  }
}
