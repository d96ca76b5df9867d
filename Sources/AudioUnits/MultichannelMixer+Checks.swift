public import AudioTypes

extension MultichannelMixer {
  public static func refusal(
    of format: StreamFormat, scope: Scope, element: Int
  ) -> FormatRefusal? {
    if scope == .output && format.channelCount != 2 {
      return StereoMix.refusal(of: format, by: "a MultichannelMixer")
    }
    if scope == .input && !(1...2).contains(format.channelCount) {
      return FormatRefusal(
        "an input of a MultichannelMixer is mono or stereo, not \(channels(format.channelCount))",
        help: ["give each channel, or each pair, an input of its own"])
    }
    return nil
  }

  public static func violations(in configuration: UnitConfiguration) -> [Violation] {
    let output = configuration.outputs[0]
    var found: [Violation] = []
    for (element, input) in configuration.inputs.enumerated() where input.isUsed {
      guard input.format.sampleRate != output.format.sampleRate else { continue }
      found.append(
        Violation(
          UnitRules.mixerRates, status: .formatNotSupported,
          .mixerRates(element, input.format.sampleRate, output.format.sampleRate),
          at: .init(node: nil, .streamFormat(.input, element)),
          notes: [
            .init(
              output.origin == .initial
                ? "the output runs at \(rateText(output.format.sampleRate)) Hz, until it is given a rate"
                : "the output's rate is settled here",
              at: .init(node: nil, .streamFormat(.output, 0)))
          ],
          help: [
            hertzHelp(input.format.sampleRate) ?? hertzHelp(output.format.sampleRate),
            output.origin == .initial
              ? "give the output the rate: \"outputs\": { \"0\": { \"sampleRate\": "
                + "\(rateText(input.format.sampleRate)) } }"
              : "use one rate throughout: a file callback plays a file at its bus's rate, whatever its own",
            "or put a FormatConverter ahead of the input",
          ].compactMap(\.self),
          remedies: output.origin == .initial
            ? [
              Remedy(
                "give the output the rate",
                [.setSampleRate(.output, 0, input.format.sampleRate)])
            ] : []))
    }
    for (element, input) in configuration.inputs.enumerated() where input.isUsed {
      let place = PropertyPlace(.matrixLevels, .input, element)
      guard let value = configuration.properties[place],
        let message = refusal(of: value, for: place, in: configuration)
      else { continue }
      found.append(
        Violation(
          UnitRules.propertyFits, status: .invalidPropertyValue, message,
          at: .init(node: nil, .property(.matrixLevels, .input, element))))
    }
    if found.isEmpty && output.origin == .initial {
      found.append(StereoMix.unsetRate)
    }
    return found
  }

  public static func refusal(
    of value: PropertyValue, for place: PropertyPlace, in configuration: UnitConfiguration
  ) -> String? {
    guard place.id == .matrixLevels, case .floats(let levels) = value else { return nil }
    let count = configuration.inputs[place.element].format.channelCount
    guard levels.count != 2 * count else { return nil }
    return
      "input \(place.element) has \(channels(count)) and the mix 2: that is \(2 * count) matrix "
      + "levels, not \(levels.count)"
  }
}

extension String {
  fileprivate static func mixerRates(_ element: Int, _ input: Double, _ output: Double) -> String {
    "a MultichannelMixer converts no rates: input \(element) runs at \(rateText(input)) Hz, "
      + "the output at \(rateText(output)) Hz"
  }
}

/// `1 channel`, `2 channels`.
func channels(_ count: Int) -> String { count == 1 ? "1 channel" : "\(count) channels" }

/// The output of a mixer to stereo.
enum StereoMix {
  /// The refusal of a format that is not stereo.
  static func refusal(of format: StreamFormat, by mixer: String) -> FormatRefusal {
    FormatRefusal(
      "the output of \(mixer) is stereo, not \(channels(format.channelCount))",
      help: ["set only the rate of the output: \"sampleRate\": \(rateText(format.sampleRate))"],
      remedies: [
        Remedy(
          "set only the rate",
          [.removeFormat(.output, 0), .setSampleRate(.output, 0, format.sampleRate)])
      ])
  }

  /// A warning for an output whose rate is not set.
  static var unsetRate: Violation {
    Violation(
      UnitRules.mixerOutputRate, status: .ok,
      "the mixer's output is given no rate, so it runs at 44100 Hz",
      at: .init(node: nil, .streamFormat(.output, 0)),
      help: [
        "say so, \"outputs\": { \"0\": { \"sampleRate\": 44100 } }, "
          + "or give the patch a \"streamFormat\""
      ],
      remedies: [Remedy("say so", [.setSampleRate(.output, 0, 44_100)])])
  }
}
