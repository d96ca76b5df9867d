import ArgumentParser
import AudioTypes
import CLoading
import Diagnostics
import PatchGraph
import PatchSyntax

/// What a command does, once its arguments are read.
protocol CommandTask {
  associatedtype Look: Appearance

  var appearance: Look { get }

  /// - Returns: The exit status.
  func perform() throws(CommandFailure) -> Int32
}

/// A subcommand.
protocol PatchCommand: ParsableCommand, CommandTask {}

extension PatchCommand {
  mutating func run() throws {
    let status = performReporting()
    if status != ExitStatus.success { throw ExitCode(status) }
  }
}

extension CommandTask {
  /// Performs the task and reports its failure.
  ///
  /// - Returns: The exit status.
  func performReporting() -> Int32 {
    var status: Int32
    do throws(CommandFailure) { status = try perform() } catch {
      appearance.report(error)
      status = error.status
    }
    // A missing library may have caused the errors of the patch.
    if status == ExitStatus.wrongPatch, cloading_is_missing() != 0 {
      status = ExitStatus.unavailable
    }
    return status
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

struct AppearanceOptions: ParsableArguments, Appearance {
  @Option(
    help: ArgumentHelp(
      "Use colours: auto (on a terminal, unless NO_COLOR is set), always or never.",
      valueName: "when"))
  var color = ColorChoice.auto
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
