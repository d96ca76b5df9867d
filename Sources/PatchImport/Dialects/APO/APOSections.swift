/// The result of reading a filter line.
enum SectionReading {
  case section(FilterSection)
  /// The line is not a filter, for the reason given.
  case rejected(String)
}

/// Turns the filter lines of Equalizer APO into sections.
enum APOSections {
  /// - Parameter cornersAreCentres: Whether the frequency of LS and HS is the centre of the slope,
  ///   as that of LSC and HSC is.
  static func section(
    of line: FilterLine, sampleRate: Double, cornersAreCentres: Bool = false
  ) -> SectionReading {
    let type = line.type
    guard let shape = shapes[type] else {
      return .rejected(
        type.isEmpty
          ? "no type of filter stands behind ON" : "there is no type of filter '\(type)'")
    }
    guard let frequency = line.frequency else {
      return .rejected("it has no frequency 'Fc ... Hz'")
    }
    guard frequency > 0, frequency < sampleRate / 2 else {
      return .rejected(
        "\(Decimals.text(frequency, digits: 3)) Hz is not between 0 and half the rate")
    }
    guard !shape.hasGain || line.gain != nil else { return .rejected("it has no 'Gain ... dB'") }
    let gain = shape.hasGain ? line.gain ?? 0 : 0
    var q = line.q
    if let octaves = line.octaves, octaves > 0, shape != .lowshelf, shape != .highshelf {
      q = FilterSection.q(octaves: octaves, at: frequency, sampleRate: sampleRate)
    }
    switch shape {
    case .peaking, .allpass:
      guard let q else { return .rejected("it has neither a Q above 0 nor a 'BW Oct'") }
      return .section(FilterSection(shape, frequency, gain: gain, q: q))
    case .notch: return .section(FilterSection(shape, frequency, q: q ?? 30))
    case .lowshelf, .highshelf:
      return .section(
        shelf(
          shape, frequency, gain, line,
          isCorner: !cornersAreCentres && (type == "LS" || type == "HS")))
    default:
      return .section(FilterSection(shape, frequency, q: q ?? FilterSection.butterworth))
    }
  }

  /// A shelf with a slope, with a Q, or with neither.
  static func shelf(
    _ shape: FilterSection.Shape, _ frequency: Double, _ gain: Double, _ line: FilterLine,
    isCorner: Bool
  ) -> FilterSection {
    let slope: Double
    let q: Double
    if let written = line.slope, written > 0 {
      slope = written / 12
      q = FilterSection.q(slope: slope, gain: gain)
    } else if let written = line.q {
      slope = FilterSection.slope(q: written, gain: gain)
      q = written
    } else {
      // Without both, the frequency is the centre whatever the type, and the slope is 0.9, which
      // the author of Equalizer APO found with REW.
      return FilterSection(shape, frequency, gain: gain, q: FilterSection.q(slope: 0.9, gain: gain))
    }
    let centre =
      isCorner
      ? FilterSection.centre(ofCorner: frequency, shape, slope: slope, gain: gain) : frequency
    return FilterSection(shape, centre, gain: gain, q: q)
  }

  private static let shapes: [String: FilterSection.Shape] = [
    "PK": .peaking, "PEQ": .peaking, "Modal": .peaking, "LP": .lowpass, "LPQ": .lowpass,
    "HP": .highpass, "HPQ": .highpass, "BP": .bandpass, "NO": .notch, "AP": .allpass,
    "LS": .lowshelf, "LSC": .lowshelf, "HS": .highshelf, "HSC": .highshelf,
  ]
}

/// Reads the points of `GraphicEQ: 20 -1; 100 0`.
enum GraphicPoints {
  /// The points by ascending frequency; `nil` where the line is no list of points.
  static func read(_ line: TextLine) -> [FilterChain.CurvePoint]? {
    let line = line.scalars.contains(".") ? line : line.withDecimalPoints
    var points: [FilterChain.CurvePoint] = []
    for part in line.split(";") where !part.isEmpty {
      let words = part.words
      guard words.count == 2, let frequency = NumberText.value(of: words[0].text), frequency > 0,
        let gain = NumberText.value(of: words[1].text), points.count < 4096
      else { return nil }
      points.append(.init(frequency, gain))
    }
    return points.isEmpty ? nil : points.sorted { $0.frequency < $1.frequency }
  }
}

/// Reads `Copy: L=0.5*L+R`: all sources are read before any channel is written.
enum ChannelCopy {
  enum Reading {
    /// One row of factors for each channel, with the rows of new channels last.
    case mix([[Double]], newChannels: [String])
    /// A channel gets a constant other than 0.
    case constant
    case problem(String)
  }

  static func read(
    _ line: TextLine, names: [String], find: (String) -> Int?
  ) -> Reading {
    // Blanks separate assignments, except next to a sign.
    var text = line.words.map(\.text).joined(separator: " ")
    for sign in ["=", "+", "*"] {
      text = text.replacing(" " + sign, with: sign).replacing(sign + " ", with: sign)
    }
    var rows = names.indices.map { row in names.indices.map { $0 == row ? 1.0 : 0 } }
    var newChannels: [String] = []
    for assignment in text.split(separator: " ") {
      let sides = assignment.split(separator: "=", maxSplits: 1)
      guard sides.count == 2, rows.count < 64 else {
        return .problem("'\(assignment)' is no 'channel=channels'")
      }
      var row = [Double](repeating: 0, count: names.count)
      for part in sides[1].split(separator: "+") {
        let factors = part.split(separator: "*", maxSplits: 1).map(String.init)
        if factors.count == 1, find(factors[0]) == nil || isConstant(factors[0]),
          let value = NumberText.value(of: factors[0])
        {
          guard isConstant(factors[0]) else {
            return .problem("there is no channel '\(factors[0])'")
          }
          if value != 0 { return .constant }
          continue
        }
        guard let source = find(factors[factors.count - 1]) else {
          return .problem("there is no channel '\(factors[factors.count - 1])'")
        }
        guard let factor = factors.count == 1 ? 1 : factor(factors[0]) else {
          return .problem("'\(factors[0])' is no factor")
        }
        row[source] += factor
      }
      let target = String(sides[0])
      if let index = find(target) {
        rows[index] = row
      } else if let index = newChannels.firstIndex(of: target.uppercased()) {
        rows[names.count + index] = row
      } else {
        newChannels.append(target.uppercased())
        rows.append(row)
      }
    }
    return .mix(rows, newChannels: newChannels)
  }

  /// A number is a constant if it is 0 or has a point; otherwise it is the number of a channel.
  private static func isConstant(_ text: String) -> Bool {
    text == "0" || text.contains(".") && NumberText.value(of: text) != nil
  }

  private static func factor(_ text: String) -> Double? {
    if text.lowercased().hasSuffix("db") {
      return NumberText.value(of: String(text.dropLast(2))).map(Decibels.factor)
    }
    return NumberText.value(of: text)
  }
}
