import ArgumentParser
import AudioTypes
import PatchSyntax

/// A duration on the command line: seconds, `1:30`, or `500 ms`.
struct Seconds: ExpressibleByArgument, Equatable {
  var value: Double

  init(value: Double) { self.value = value }

  init?(argument: String) {
    if let quantity = Quantity(argument), quantity.measure == .seconds {
      guard quantity.value > 0, quantity.value <= 1e9 else { return nil }
      value = quantity.value
      return
    }
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    var value = 0.0
    for part in parts {
      guard let number = Double(String(part)), number >= 0, number.isFinite else { return nil }
      value = value * 60 + number
    }
    guard parts.count <= 3, value > 0, value <= 1e9 else { return nil }
    self.value = value
  }

  /// The help page shows it as the default of an option.
  var defaultValueDescription: String { rateText(value) }

  /// The nearest number of frames at a rate in Hz.
  func frames(at sampleRate: Double) -> Int { Int((value * sampleRate).rounded()) }
}

/// A position in a patch on the command line: a duration, also `90 s` or `500 ms`, or 0.
struct StartMoment: ExpressibleByArgument, Equatable {
  /// Seconds from the beginning of the patch.
  var value: Double

  init?(argument: String) {
    if let seconds = Seconds(argument: argument) {
      value = seconds.value
      return
    }
    guard let quantity = Quantity(argument), [.seconds, .number].contains(quantity.measure),
      0...1e9 ~= quantity.value
    else { return nil }
    value = quantity.value
  }

  /// The help page shows it as the default of an option.
  var defaultValueDescription: String { rateText(value) }

  /// The nearest number of frames at a rate in Hz.
  func frames(at sampleRate: Double) -> Int { Int((value * sampleRate).rounded()) }
}

/// The option for the beginning.
struct StartOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Begin at this time, as if the patch had played until then: 90, 1.5s, 2min or 1:30.",
      valueName: "time"))
  var start: StartMoment?
}
