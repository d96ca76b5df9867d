public import AudioTypes
import HeadData

extension Mixer3D {
  // MARK: Checks

  /// Inputs begin in the iPhone's canonical format of 16 bits.
  public static func initialFormat(_ scope: Scope) -> StreamFormat {
    scope == .input
      ? .canonical(channels: 1, sampleRate: 44_100)
      : .platformCanonical(channels: 2, sampleRate: 44_100)
  }

  public static func refusal(
    of format: StreamFormat, scope: Scope, element: Int
  ) -> FormatRefusal? {
    if scope == .output {
      return format.channelCount == 2 ? nil : StereoMix.refusal(of: format, by: "a 3DMixer")
    }
    if !(1...2).contains(format.channelCount) {
      return FormatRefusal(
        "an input of a 3DMixer is mono, not \(channels(format.channelCount))",
        help: ["give each channel an input of its own"])
    }
    guard format.sampleType != .int16 else { return nil }
    return FormatRefusal(
      "an input of a 3DMixer takes 16-bit integers, not \(format.summary)",
      help: [
        "an input that a callback feeds is given { \"sample\": \"int16\", \"channels\": 1, "
          + "\"sampleRate\": \(rateText(format.sampleRate)) }; behind a connection a FormatConverter "
          + "makes that of it"
      ],
      remedies: [
        Remedy(
          "give it 16-bit integers, mono",
          [
            .setFormat(
              .input, element,
              StreamFormat(.int16, channels: 1, sampleRate: format.sampleRate))
          ])
      ])
  }

  public static func violations(in configuration: UnitConfiguration) -> [Violation] {
    var found: [Violation] = []
    let output = configuration.outputs[0]
    for (element, input) in configuration.inputs.enumerated() where input.isUsed {
      let algorithm = algorithm(configuration, element)
      if input.format.channelCount == 2, algorithm != SpatializationAlgorithm.stereoPassThrough {
        found.append(
          Violation(
            UnitRules.spatialChannels, status: .formatNotSupported,
            "input \(element) of the 3DMixer is stereo: only a mono source has a place",
            at: .init(node: nil, .streamFormat(.input, element)),
            help: [
              "give each channel an input of its own, or let the input pass: "
                + "\"spatializationAlgorithm\": \"stereoPassThrough\""
            ],
            remedies: [
              Remedy(
                "let the input pass",
                [
                  .setProperty(
                    "spatializationAlgorithm", .input, element, "\"stereoPassThrough\"")
                ])
            ]))
      }
      if let message = distanceProblem(configuration, element) {
        found.append(
          Violation(
            UnitRules.propertyValue, status: .invalidPropertyValue, message,
            at: .init(node: nil, .property(.distanceParameters3DMixer, .input, element)),
            help: ["as it is without: \"3DMixerDistanceParams\": [1, 100000, 100]"]))
      }
      // A source without a position has no distance either: report one of the two.
      let hasNoPlace = found.contains {
        $0.rule.code == UnitRules.spatialChannels.code
          && $0.place.part == .streamFormat(.input, element)
      }
      if !hasNoPlace, let violation = directionViolation(configuration, element) {
        found.append(violation)
      }
    }
    if let violation = headViolation(configuration) { found.append(violation) }
    if !found.contains(where: { $0.severity == .error }) && output.origin == .initial {
      found.append(StereoMix.unsetRate)
    }
    return found
  }

  static func algorithm(_ configuration: UnitConfiguration, _ element: Int) -> UInt32 {
    let place = PropertyPlace(.spatializationAlgorithm, .input, element)
    guard case .uint32(let algorithm)? = configuration.properties[place] else { return 0 }
    return algorithm
  }

  /// Reference distance, maximum distance and maximum attenuation.
  private static func distances(_ configuration: UnitConfiguration, _ element: Int) -> [Float] {
    let place = PropertyPlace(.distanceParameters3DMixer, .input, element)
    guard case .floats(let values)? = configuration.properties[place] else {
      return [1, 100_000, 100]
    }
    return values
  }

  private static func distanceProblem(
    _ configuration: UnitConfiguration, _ element: Int
  ) -> String? { distanceProblem(distances(configuration, element)) }

  private static func distanceProblem(_ values: [Float]) -> String? {
    guard values.count == 3 else {
      return "'3DMixerDistanceParams' is three numbers (reference distance, maximum distance, "
        + "maximum attenuation), not \(values.count)"
    }
    guard values.allSatisfy(\.isFinite), values[0] >= 0, values[1] >= values[0], values[2] >= 0
    else {
      return "'3DMixerDistanceParams' has a reference distance of 0 or more, a maximum distance "
        + "that is no less, and a maximum attenuation of 0 dB or more"
    }
    return nil
  }

  /// Why an initialized unit cannot take a value.
  public static func refusal(
    of value: PropertyValue, for place: PropertyPlace, in configuration: UnitConfiguration
  ) -> String? {
    switch (place.id, value) {
    case (.distanceParameters3DMixer, .floats(let values)): return distanceProblem(values)
    case (.spatializationAlgorithm, .uint32(let wanted)):
      let input = configuration.inputs[place.element]
      if input.format.channelCount == 2, wanted != SpatializationAlgorithm.stereoPassThrough {
        return "input \(place.element) of the 3DMixer is stereo: only a mono source has a place"
      }
      let hadHead = configuration.inputs.indices.contains {
        algorithm(configuration, $0) == SpatializationAlgorithm.hrtf
      }
      if wanted == SpatializationAlgorithm.hrtf && !hadHead {
        return
          "no input had HRTF when the unit was initialized, so that there is no head to hear with"
      }
      return nil
    default: return nil
    }
  }

  /// A warning for a direction without effect.
  private static func directionViolation(
    _ configuration: UnitConfiguration, _ element: Int
  ) -> Violation? {
    func value(_ parameter: UInt32) -> Float {
      configuration.parameter(parameter, .input, element) ?? 0
    }
    let algorithm = algorithm(configuration, element)
    let isPlaced =
      value(Parameter.azimuth) != 0
      || value(Parameter.elevation) != 0 && algorithm == SpatializationAlgorithm.hrtf
    guard isPlaced, value(Parameter.distance) == 0,
      algorithm != SpatializationAlgorithm.stereoPassThrough
    else { return nil }
    let parameter = value(Parameter.azimuth) != 0 ? Parameter.azimuth : Parameter.elevation
    return Violation(
      UnitRules.spatialDistance, status: .ok,
      "input \(element) of the 3DMixer is given a direction and no distance: at 0 m it is in the "
        + "middle of the head, whatever its direction",
      at: .init(node: nil, .parameter(parameter, .input, element)),
      help: ["give it a distance: \"distance\": 1"],
      remedies: [Remedy("give it a distance", [.setParameter("distance", .input, element, "1")])])
  }

  /// The highest rate for HRTF, in Hz: the responses grow with the rate, and take 200 MB here.
  static var highestHeadRate: Double { 768_000 }

  /// The violation where an input needs the data of a head and it cannot be used; `nil` for none.
  ///
  /// - Parameter path: The path of the data set; by default that of the distribution.
  public static func headViolation(
    _ configuration: UnitConfiguration, path: String = "/usr/share/libmysofa/default.sofa"
  ) -> Violation? {
    guard
      let element = configuration.inputs.indices.first(where: {
        configuration.inputs[$0].isUsed
          && algorithm(configuration, $0) == SpatializationAlgorithm.hrtf
      })
    else { return nil }
    let rate = configuration.outputs[0].format.sampleRate
    guard rate <= highestHeadRate else {
      return Violation(
        UnitRules.headData, status: .formatNotSupported,
        "a head is heard at rates up to \(rateText(highestHeadRate)) Hz, not at \(rateText(rate))",
        at: .init(node: nil, .property(.spatializationAlgorithm, .input, element)),
        help: ["lower the rate of the output, or take another algorithm: \"sphericalHead\""])
    }
    do throws(HeadDataError) {
      if path == HeadDataSet.defaultPath && rate > 0 {
        _ = try HeadTable.measurement()
      } else {
        _ = try HeadDataSet(path: path)
      }
      return nil
    } catch {
      return Violation(
        UnitRules.headData, status: .failedInitialization,
        "there is no head to hear with: \(error)",
        at: .init(node: nil, .property(.spatializationAlgorithm, .input, element)),
        help: [
          "install the data set, on Debian with `apt-get install libmysofa1`, "
            + "or take another algorithm: \"sphericalHead\""
        ])
    }
  }
}
