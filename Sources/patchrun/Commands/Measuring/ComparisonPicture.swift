import Pictures
import SoundMeasures

/// The picture of a comparison: both sounds, and their difference over time and over frequency.
struct ComparisonPicture {
  let sheet: ComparisonSheet
  let sound: Sound
  let reference: Sound

  private static let width = 1000.0
  /// The lowest level that is drawn, in dBFS.
  private static let depth = -160.0

  private var comparison: SoundComparison { sheet.comparison }
  /// The duration in seconds; at least 1 ms, so that an empty comparison has an axis.
  private var seconds: Double { max(Double(comparison.frames.count) / comparison.sampleRate, 1e-3) }
  private var begin: Double { Double(comparison.frames.lowerBound) / comparison.sampleRate }

  func drawing() -> Drawing {
    let time = timeFigure()
    let frequency = frequencyFigure()
    return Drawing(stacking: [
      time.drawing(summary: time.caption.joined(separator: " ")), frequency.drawing(),
    ])
  }

  private static func typeset(_ text: String) -> String {
    var result = ""
    var last: Character = " "
    for (character, next) in zip(text, text.dropFirst() + " ") {
      result.append(
        character == "-" && !last.isLetter && !last.isNumber && next.isNumber
          ? "\u{2212}" : character)
      last = character
    }
    return result
  }

  /// Shortens a long path in its middle.
  private static func short(_ text: String) -> String {
    text.count <= 70 ? text : text.prefix(3) + "\u{2026}" + text.suffix(66)
  }

  // MARK: Time

  private func timeFigure() -> Figure {
    let isMatched = sheet.options.aligns || sheet.options.matchesGain
    let caption =
      (isMatched
        ? ["offset \(sheet.offsetText) \u{B7} gain \(sheet.gainText)"] : []) + [
        "difference \(sheet.differenceText)" + (sheet.worstText.map { " \u{B7} most: \($0)" } ?? "")
      ]
    let lines = comparison.channels.indices.prefix(6)
    var figure = Figure(
      title: "\(sheet.name) against \(sheet.referenceName): \(sheet.isSame ? "same" : "different")",
      caption: (caption + sheet.notes).map(Self.typeset), width: Self.width, height: 560,
      axis: .time(begin...(begin + seconds), count: 1),
      panels: [
        (Self.short("A: \(sheet.name)"), 1.0), (Self.short("B: \(sheet.referenceName)"), 1.0),
        ("Difference", 1.7),
      ].map {
        Panel($0.0, Axis("", domain: 0...1), marks: [], weight: $0.1)
      },
      legend: lines.map { index in
        let name = sheet.channelName(index)
        return LegendEntry(
          "difference" + (name.isEmpty ? "" : ", \(name)"), .line(.series(Self.ink(index))))
      } + [LegendEntry("B", .line(.muted, isDashed: true))])
    let layout = figure.layout
    figure.axis = .time(begin...(begin + seconds), count: layout.columns)
    let count = Int(layout.plots[0].width)
    let waves = [
      columns(of: sound, from: Double(comparison.frames.lowerBound) + comparison.offset, count),
      columns(of: reference, from: Double(comparison.frames.lowerBound), count),
    ]
    for (index, bands) in waves.enumerated() {
      let peak = bands.reduce(0) { max($0, $1.high.magnitude, $1.low.magnitude) }
      figure.panels[index].axis = Self.amplitudes(peak, layout.rows(index))
      figure.panels[index].marks = [
        .band(bands, .series(0), opacity: 0.75),
        // A line keeps a band visible that is thinner than a pixel.
        .line(
          bands.map { Point($0.x, ($0.low + $0.high) / 2) }, .series(0), width: 0.8),
        .rule(0, .axis),
      ]
    }
    let levels = levels(count)
    figure.panels[2].axis = axis(
      levels.difference.flatMap { $0.map(\.y) } + levels.reference.map(\.y), layout.rows(2))
    figure.panels[2].marks =
      [.line(levels.reference, .muted, width: 1.2, isDashed: true)]
      + lines.map { .line(levels.difference[$0], .series(Self.ink($0)), width: 1.6) }
      + [.rule(sheet.bound, .warning, text: "bound")]
    return figure
  }

  /// The colour index of a channel's difference; colour 0 is for the sounds.
  private static func ink(_ channel: Int) -> Int { channel == 0 ? 1 : channel + 2 }

  /// The extremes of all channels in each column.
  private func columns(of sound: Sound, from first: Double, _ count: Int) -> [Mark.Band] {
    let frames = max(1, comparison.frames.count)
    let count = min(count, frames)
    return (0..<count).map { column in
      let low = Int((first + Double(frames) * Double(column) / Double(count)).rounded())
      let high = Int((first + Double(frames) * Double(column + 1) / Double(count)).rounded())
      var extremes = (low: 0.0, high: 0.0)
      var isFirst = true
      for channel in sound.channels {
        for frame in (low..<max(low + 1, high)).clamped(to: 0..<channel.count) {
          let sample = Double(channel[frame])
          guard sample.isFinite else { continue }
          extremes.low = isFirst ? sample : min(extremes.low, sample)
          extremes.high = isFirst ? sample : max(extremes.high, sample)
          isFirst = false
        }
      }
      let time = begin + seconds * (Double(column) + 0.5) / Double(count)
      return Mark.Band(time, extremes.low, extremes.high)
    }
  }

  /// The difference of each channel and the highest level of the reference. Several blocks in one
  /// column of pixels give their highest level.
  private func levels(_ columns: Int) -> (difference: [[Point]], reference: [Point]) {
    let blocks = comparison.overTime
    let group = max(1, (blocks.count + columns - 1) / max(1, columns))
    var difference = comparison.channels.map { _ in [Point]() }
    var reference: [Point] = []
    for start in stride(from: 0, to: blocks.count, by: group) {
      let members = blocks[start..<min(start + group, blocks.count)]
      let middle =
        Double(members[start].frames.lowerBound + members[members.endIndex - 1].frames.upperBound)
        / 2 / comparison.sampleRate
      for channel in difference.indices {
        let level = members.reduce(-.infinity) { max($0, $1.difference[channel]) }
        difference[channel].append(Point(middle, max(level, Self.depth - 10)))
      }
      let level = members.reduce(-.infinity) { max($0, $1.reference.max() ?? -.infinity) }
      reference.append(Point(middle, max(level, Self.depth - 10)))
    }
    return (difference, reference)
  }

  private static func amplitudes(_ peak: Double, _ rows: Int) -> Axis {
    let limit =
      [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]
      .first { $0 >= peak } ?? peak
    return .numbers("1 is full scale", -limit...limit, count: rows)
  }

  /// An axis from the lowest level to the highest, with the bound within.
  private func axis(_ levels: [Double], _ rows: Int, name: String = "dBFS in 20 ms") -> Axis {
    let shown = levels.filter { $0 > Self.depth } + [sheet.bound]
    let top = (((shown.max() ?? 0) + 3) / 10).rounded(.up) * 10
    let bottom = (((shown.min() ?? -120) - 6) / 10).rounded(.down) * 10
    return .decibels(name, max(bottom, Self.depth)...max(top, bottom + 30), count: rows)
  }

  // MARK: Frequency

  private func frequencyFigure() -> Figure {
    let bands = comparison.overFrequency
    let low = max(10, (bands.first?.frequency ?? 20) * 0.89)
    let high = max(low * 10, (bands.last?.frequency ?? 20_000) * 1.13)
    var figure = Figure(
      title: "By frequency", width: Self.width, height: 310,
      axis: .frequency(low...high, count: 1),
      panels: [Panel("Thirds of an octave", Axis("", domain: 0...1), marks: [])],
      legend: [
        LegendEntry("difference", .patch(.series(1), opacity: 0.45)),
        LegendEntry("B", .line(.muted, isDashed: true)),
      ])
    let layout = figure.layout
    figure.axis = .frequency(low...high, count: layout.columns)
    let levels = bands.flatMap { [$0.reference, $0.difference] }
    let axis = axis(levels, layout.rows(0), name: "dBFS, the channel that has most")
    figure.panels[0].axis = axis
    func steps(_ level: (SoundComparison.Band) -> Double) -> [Point] {
      bands.flatMap { band in
        // Each step is a third of an octave wide: 10^(1/20) to either side.
        let value = max(level(band), Self.depth - 10)
        return [Point(band.frequency / 1.122, value), Point(band.frequency * 1.122, value)]
      }
    }
    let difference = steps(\.difference)
    figure.panels[0].marks = [
      .band(
        difference.map { Mark.Band($0.x, axis.domain.lowerBound, $0.y) }, .series(1), opacity: 0.35),
      .line(difference, .series(1), width: 1.6),
      .line(steps(\.reference), .muted, width: 1.4, isDashed: true),
    ]
    return figure
  }
}
