import ArgumentParser
import AudioTypes
import PatchSyntax

/// A duration on the command line: seconds, `1:30`, or `500 ms`.
struct Seconds: Equatable {
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

  /// Reads the value of an option, and says what it has to be where it is something else.
  static func read(_ text: String) throws -> Seconds {
    guard let seconds = Seconds(argument: text) else {
      throw ValidationError(
        "it is a time above 0 s and up to 1e9 s, such as 5, 1.5s, 500ms, 2min or 1:30")
    }
    return seconds
  }

  /// The nearest number of frames at a rate in Hz.
  func frames(at sampleRate: Double) -> Int { Int((value * sampleRate).rounded()) }

  /// The frames to render for `--duration` at a rate in Hz: at least one.
  func renderedFrames(at sampleRate: Double) throws(CommandFailure) -> Int {
    let count = frames(at: sampleRate)
    guard count > 0 else { throw Self.tooShort(at: sampleRate) }
    return count
  }

  /// The failure for a duration in which no frame is rendered at a rate in Hz.
  static func tooShort(at sampleRate: Double) -> CommandFailure {
    // Rounded up, so that it has a frame.
    let shortest = fixed((1e6 / sampleRate).rounded(.up) / 1e6, 6)
    return CommandFailure(
      ExitStatus.wrongUsage, "--duration is shorter than a frame at \(rateText(sampleRate)) Hz",
      help: ["the shortest that renders a frame: --duration \(shortest)"])
  }
}

/// A position in a patch on the command line: a duration, also `90 s` or `500 ms`, or 0.
struct StartMoment: Equatable {
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

  /// Reads the value of an option, and says what it has to be where it is something else.
  static func read(_ text: String) throws -> StartMoment {
    guard let moment = StartMoment(argument: text) else {
      throw ValidationError("it is a time from 0 to 1e9 s, such as 0, 90, 1.5s, 2min or 1:30")
    }
    return moment
  }

  /// The nearest number of frames at a rate in Hz.
  func frames(at sampleRate: Double) -> Int { Int((value * sampleRate).rounded()) }
}

/// The option for the beginning.
struct StartOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Begin at this time, as if the patch had played until then: 90, 1.5s, 2min or 1:30.",
      valueName: "time"),
    transform: StartMoment.read)
  var start: StartMoment?
}
