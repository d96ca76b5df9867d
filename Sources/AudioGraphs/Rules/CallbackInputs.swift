import AudioTypes
import AudioUnits
import RenderCore

/// A callback that processes is given something to pull, and no other callback is.
enum CallbackInputs {
  static let rule = Rule(
    "PR0704", "callback/input", "A callback that processes is given something to pull.")

  static func violations(_ callback: InputCallback) -> [Violation] {
    let place = Violation.Place(node: callback.destination, .feed(callback.input))
    var found: [Violation] = []
    for (index, link) in callback.chain.enumerated() {
      let isFed = index > 0 || callback.source != nil
      if link.input == .required && !isFed {
        found.append(
          Violation(
            rule, status: .noConnection,
            "a callback that processes what it pulls is given nothing to pull", at: place,
            help: ["say what it pulls: \"from\": an output such as \"io:1\", or another callback"]))
      } else if link.input == .none && isFed {
        found.append(
          Violation(
            rule, status: .invalidConnection,
            "a callback that makes its own sound is given something to pull", at: place,
            help: ["leave its \"from\" out"]))
      }
    }
    return found
  }
}

/// A processing callback hands on what it pulls: frame for frame, channel for channel.
enum CallbackFormats {
  static let rule = Rule(
    "PR0705", "callback/formats",
    "A processing callback feeds a bus with the rate and the channels of the one that it pulls.")

  static func violation(
    _ link: Connection, _ source: StreamFormat, _ destination: StreamFormat, in model: GraphModel
  ) -> Violation? {
    guard
      source.sampleRate != destination.sampleRate
        || source.channelCount != destination.channelCount
    else { return nil }
    let from = model.address(link.source, link.output)
    return Violation(
      rule, status: .formatNotSupported,
      "the callback pulls \(source.summary) from '\(from)' and is to feed "
        + "\(destination.summary); it can change neither the rate nor the channels",
      at: .init(node: link.destination, .streamFormat(.input, link.input)),
      notes: [
        .init(
          "\(source.summary) comes from here",
          at: .init(node: link.source, .streamFormat(.output, link.output)))
      ],
      help: [
        "give both buses the same rate and channels, or let the callback pull a FormatConverter "
          + "that changes them"
      ])
  }
}
