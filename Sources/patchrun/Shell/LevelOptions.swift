import ArgumentParser
import Diagnostics
import PatchGraph
import PatchSyntax

/// The option for the output limit.
struct LevelOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The highest peak of the output, whatever the patch and its changes ask for: -120 "
        + "to 0 decibels, where 0 is full scale. Louder sound is turned down.",
      valueName: "dB"),
    transform: OutputPeak.read)
  var limitPeak: OutputPeak?
}

/// A level on the command line: `-6`, `-6dB`, `"-6 dB"`.
struct OutputPeak: Equatable {
  /// The peak, where 1 is full scale.
  var magnitude: Float

  static func read(_ text: String) throws -> OutputPeak {
    let level = Level.decimalNumber(in: Substring(text)).map(Level.decibels) ?? Level(text)
    guard case .decibels = level,
      let magnitude = OutputLimits.amplitude(level, in: PatchDocument.Limits.outputPeakRange)
    else {
      throw ValidationError("\(quoted(text)) is no level: it is -120 to 0 decibels, such as -6")
    }
    return OutputPeak(magnitude: magnitude)
  }
}
