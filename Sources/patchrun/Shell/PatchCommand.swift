import ArgumentParser
import AudioTypes
import CLoading
import Diagnostics
import PatchGraph
import PatchSyntax

/// A subcommand whose `perform` returns the exit status.
protocol PatchCommand: ParsableCommand {
  var appearance: AppearanceOptions { get }

  func perform() throws(CommandFailure) -> Int32
}

extension PatchCommand {
  mutating func run() throws {
    var status: Int32
    do throws(CommandFailure) { status = try perform() } catch {
      appearance.report(error)
      status = error.status
    }
    // A missing library may have caused the errors of the patch.
    if status == ExitStatus.wrongPatch, cloading_is_missing() != 0 {
      status = ExitStatus.unavailable
    }
    if status != ExitStatus.success { throw ExitCode(status) }
  }

  /// Writes a result to a new file, or to standard output for `nil` and "-".
  func output(_ text: String, toNew path: String?) throws(CommandFailure) {
    guard let path, path != "-" else { return try output(text) }
    try AtomicFile.create(path, with: Array(text.utf8))
  }

  /// Writes a result to standard output.
  func output(_ text: String) throws(CommandFailure) {
    let number = StandardStream.output.put(result: text)
    guard number == 0 else {
      throw CommandFailure(
        ExitStatus.unavailable, "standard output cannot be written: \(systemMessage(number))")
    }
  }
}

struct AppearanceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Use colours: auto (on a terminal, unless NO_COLOR is set), always or never.",
      valueName: "when"))
  var color = ColorChoice.auto

  /// For errors before a command is known.
  static let standard: AppearanceOptions = {
    var options = AppearanceOptions()
    options.color = .auto
    return options
  }()

  /// Prints a message on standard error.
  func report(_ kind: String, _ message: String, help: [String] = []) {
    let isColored = color.colors(.error)
    let message = printable(message)
    let paint = kind == "error" ? "\u{1B}[1;31m" : kind == "warning" ? "\u{1B}[1;33m" : "\u{1B}[1m"
    var text = isColored ? "\(paint)\(kind)\u{1B}[0m: \(message)\n" : "\(kind): \(message)\n"
    for line in help.map(printable) {
      text += isColored ? "  = \u{1B}[1mhelp\u{1B}[0m: \(line)\n" : "  = help: \(line)\n"
    }
    StandardStream.error.put(WrappedHelp.wrapped(text, to: StandardStream.error.columns))
  }

  /// Prints the failure of a command on standard error.
  ///
  /// - Parameter path: The file that failed, if it is one of several.
  func report(_ failure: CommandFailure, with path: String? = nil) {
    if let findings = failure.findings { StandardStream.error.put(printableLines(findings)) }
    guard !failure.message.isEmpty else { return }
    report("error", (path.map { $0 + ": " } ?? "") + failure.message, help: failure.help)
  }

  /// Diagnostics as text with an empty line after each, and a summary.
  func text(
    _ diagnostics: [Diagnostic], in source: SourceText, for stream: StandardStream
  ) -> String {
    let renderer = TextRenderer(
      source: source, color: color.colors(stream), width: stream.columns ?? 120)
    return WrappedHelp.wrapped(
      renderer.render(diagnostics) + renderer.summary(of: diagnostics) + "\n", to: stream.columns)
  }

  /// Diagnostics as text for standard output, with an empty line after each.
  func findings(_ diagnostics: [Diagnostic], in source: SourceText) -> String {
    let columns = StandardStream.output.columns
    let renderer = TextRenderer(
      source: source, color: color.colors(.output), width: columns ?? 120)
    return WrappedHelp.wrapped(renderer.render(diagnostics), to: columns)
  }

  /// Prints the diagnostics of a patch on standard error.
  func report(_ patch: BuiltPatch) {
    guard !patch.diagnostics.isEmpty else { return }
    StandardStream.error.put(text(patch.diagnostics, in: patch.source, for: .error))
    hint(at: patch.diagnostics.mainFinding)
  }

  /// Prints a violation from initialization, with its place in the patch.
  func report(_ violation: Violation, of patch: BuiltPatch) -> CommandFailure {
    guard let diagnostic = patch.diagnostic(of: violation) else {
      return CommandFailure(ExitStatus.unavailable, violation.message, help: violation.help)
    }
    StandardStream.error.put(text([diagnostic], in: patch.source, for: .error))
    return .reported(ExitStatus.unavailable)
  }

  /// On a terminal, prints which command explains the finding.
  func hint(at finding: Diagnostic?) {
    guard let finding, StandardStream.error.isTerminal else { return }
    StandardStream.error.put(Self.hint(at: finding) + "\n")
  }

  static func hint(at finding: Diagnostic) -> String {
    "`patchrun explain \(finding.code)` says more"
  }
}

extension Sequence<Diagnostic> {
  /// The first error; without errors, the first diagnostic.
  var mainFinding: Diagnostic? { first { $0.severity == .error } ?? first { _ in true } }
}

struct OverrideOptions: ParsableArguments {
  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp(
      "Put VALUE at the JSON Pointer POINTER of the patch before it is read; repeatable.",
      valueName: "POINTER=VALUE"),
    completion: .custom(CompletionValues.overrides))
  var overrides: [String] = []

  func validate() throws {
    for text in overrides {
      if let problem = DocumentOverride.usageProblem(of: text) { throw ValidationError(problem) }
    }
  }
}

struct HardwareOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Assume that the device grants this: rate, channels, inputChannels, frames.",
      valueName: "rate=44100,channels=2"),
    completion: .list(["rate=44100", "rate=48000", "channels=2", "inputChannels=1", "frames=512"]),
    transform: { try HardwareAssumption.parse($0) })
  var hardware: HardwareAssumption?

  var assumption: HardwareAssumption { hardware ?? HardwareAssumption() }
}

/// Reads an option whose values are the cases of a type.
func oneOf<Value: CaseIterable & RawRepresentable<String>>(_ text: String) throws -> Value {
  guard let value = Value(rawValue: text) else {
    let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("it is one of \(names)")
  }
  return value
}
