import Diagnostics
import PatchSyntax

/// Reads the filter settings that REW exports for a measurement of one channel.
enum RoomEQWizard {
  static func read(_ reading: inout ImportReading) throws(ImportRefused) -> FilterChain {
    let options = reading.options
    var chain = FilterChain(sampleRate: options.sampleRate, channels: options.channels)
    var channels: [Int]?
    var hasFilters = false
    for number in 1...reading.source.lineCount {
      let line = TextLine(reading.source, line: number, base: 0)
      if line.isEmpty { continue }
      guard let (key, rest) = line.command, key.text.hasPrefix("Filter") else {
        // The lines above the filters are for people, except the one that names the channel.
        if let (key, rest) = line.command, key.text == "Channel" {
          channels = channel(rest, options, &reading)
        } else if hasFilters {
          reading.report(
            ImportRules.ignored, "this line stands among the filters and is none", at: line.range)
        }
        continue
      }
      hasFilters = true
      let filter = FilterLine(rest.withoutThousandsSeparators)
      guard filter.typeText != "None" else { continue }
      switch filter.state {
      case .unknown:
        reading.report(ImportRules.ignored, "this filter is neither ON nor OFF", at: line.range)
      case .off:
        reading.report(ImportRules.disabled, "this filter is switched off", at: line.range)
      case .on:
        switch section(of: filter, sampleRate: chain.sampleRate) {
        case .section(let section):
          try reading.add(
            .init(.section(section), channels: channels, at: rest.range), to: &chain)
        case .rejected(let why):
          reading.report(ImportRules.unsupported, "\(why)", at: line.range)
        }
      }
    }
    return chain
  }

  private static func channel(
    _ rest: TextLine, _ options: ImportOptions, _ reading: inout ImportReading
  ) -> [Int]? {
    let name = rest.text.uppercased()
    let names = options.channels.map { $0.uppercased() }
    guard
      let index = names.firstIndex(where: { $0 == name || name.hasPrefix($0 + " ") })
        ?? ["LEFT": 0, "RIGHT": 1][name]
    else {
      reading.report(
        ImportRules.unclear,
        """
        there is no channel '\(rest.text)' of \(options.channels.joined(separator: ", ")): the filters \
        are for all
        """,
        at: rest.range, help: "'--channels' says which channels there are")
      return nil
    }
    return names.count == 1 ? nil : [index]
  }

  private static func section(of line: FilterLine, sampleRate: Double) -> SectionReading {
    let text = line.typeText
    guard let frequency = line.frequency else {
      return .rejected("it has no frequency 'Fc ... Hz'")
    }
    guard frequency > 0, frequency < sampleRate / 2 else {
      return .rejected(
        "\(Decimals.text(frequency, digits: 3)) Hz is not between 0 and half the rate")
    }
    func filter(_ shape: FilterSection.Shape, q: Double?) -> SectionReading {
      if shape.hasGain, line.gain == nil { return .rejected("it has no 'Gain ... dB'") }
      guard let q else { return .rejected("it has no Q above 0") }
      return .section(
        FilterSection(shape, frequency, gain: shape.hasGain ? line.gain ?? 0 : 0, q: q))
    }
    switch text {
    case "PK", "PEQ", "PA", "Modal":
      var q = line.q
      if let octaves = line.octaves, octaves > 0 {
        q = FilterSection.q(octaves: octaves, at: frequency, sampleRate: sampleRate)
      } else if let sixtieths = line.sixtieths, sixtieths > 0 {
        // The width is measured between the points of half the gain.
        q = 60 / (sixtieths * 2.0.squareRoot())
      }
      return filter(.peaking, q: q)
    case "LP": return filter(.lowpass, q: FilterSection.butterworth)
    case "HP": return filter(.highpass, q: FilterSection.butterworth)
    case "LP Q", "LPQ": return filter(.lowpass, q: line.q)
    case "HP Q", "HPQ": return filter(.highpass, q: line.q)
    case "LP1": return filter(.lowpass1, q: FilterSection.butterworth)
    case "HP1": return filter(.highpass1, q: FilterSection.butterworth)
    case "Notch", "NO": return filter(.notch, q: line.q ?? 30)
    case "Notch Q": return filter(.notch, q: line.q)
    case "All pass", "AP": return filter(.allpass, q: line.q)
    case "L-T":
      guard let q = line.q, let target = line.targetFrequency, let targetQ = line.targetQ,
        target > 0, target < sampleRate / 2, targetQ > 0
      else { return .rejected("it lacks one of Q, Fp and Qp") }
      return .section(
        FilterSection(
          .linkwitzTransform, frequency, q: q, target: .init(frequency: target, q: targetQ)))
    default: break
    }
    let words = text.split(separator: " ")
    if let first = words.first, first == "LS" || first == "HS" || first == "LSC" || first == "HSC" {
      guard let gain = line.gain else { return .rejected("it has no 'Gain ... dB'") }
      return .section(
        APOSections.shelf(
          first.hasPrefix("LS") ? .lowshelf : .highshelf, frequency, gain, line,
          // With a slope the frequency is the corner, with a Q the centre.
          isCorner: line.slope != nil && !first.hasSuffix("C")))
    }
    return .rejected("there is no type of filter '\(text)'")
  }
}
