import ArgumentParser
import Glibc

struct Patchrun: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "patchrun",
    abstract: "Runs audio graphs that are written down.",
    discussion: """
      A patch is a JSON document that names audio units, connections and stream formats. It runs \
      live on a PulseAudio server, or offline to a file.

      EXAMPLES:
        patchrun patches/mixer-host.json
        patchrun beat.json --set /nodes/mixer/outputs/0/parameters/volume=0.3
        patchrun render patches/mixer-host.json --duration 5 -o out.wav
        patchrun validate patches
        patchrun explain PR0405

      EXIT STATUS:
        0  fine
        1  the patch is wrong
        2  wrong usage
        3  no server, no device or no file: nothing has begun
        4  a failure while running
        130  interrupted: a render by Ctrl-C, a live run by a second one
      """,
    version: "patchrun \(version)",
    subcommands: [
      Run.self, Render.self, Validate.self, Explain.self, Fmt.self, New.self, Diff.self, Show.self,
      ResponseCommand.self, Units.self, Devices.self, Schema.self, Lsp.self, Ctl.self,
    ],
    defaultSubcommand: Run.self)

  static let version = "0.1.0"

  static var commandNames: [String] {
    configuration.subcommands.compactMap { $0.configuration.commandName }
  }

  /// Does what the arguments say, and ends the process.
  static func start(_ arguments: [String]) -> Never {
    do {
      var command = try parseAsRoot(arguments)
      try command.run()
      Glibc.exit(ExitStatus.success)
    } catch let code as ExitCode {
      Glibc.exit(code.rawValue)
    } catch {
      let text = fullMessage(for: error)
      guard exitCode(for: error) != .success else {
        // Help, the version: what was asked for.
        let number = StandardStream.output.put(text + "\n")
        Glibc.exit(number == 0 ? ExitStatus.success : ExitStatus.worldRefused)
      }
      // As every other error says it.
      let isError = text.hasPrefix("Error: ")
      StandardStream.error.put((isError ? "e" + text.dropFirst() : text) + "\n")
      Glibc.exit(ExitStatus.wrongUsage)
    }
  }
}
