import AudioTypes
import Glibc
import Pictures
import RenderCore
import RenderTaps

/// Summarizes frames as a history of levels.
final class LevelColumns: PictureColumns {
  /// The initial duration of a column in seconds: the shortest stretch with a level.
  static let shortest = 0.05

  /// The steps of 100 ms in the 3 s of a short-term loudness.
  private static let shortTermSteps = 30

  private let tap: PictureTap
  private let format: StreamFormat
  private let channels: [(index: Int, name: String)]
  private(set) var rows: [ColumnRow<WaveformColumn>]
  private(set) var loudness = ColumnRow<LoudnessColumn>(capacity: 4096, unitsPerColumn: 1)
  private var meter: Meter?
  private(set) var frameCount = 0

  /// A libebur128 measurement, and the frames of the current step of 100 ms.
  private final class Meter {
    var state: LoudnessState
    let step: Int
    var filled = 0
    /// The number of complete steps.
    var steps = 0
    /// Whether memory ran out.
    var hasFailed = false

    init(_ state: consuming LoudnessState, step: Int) {
      self.state = state
      self.step = step
    }
  }

  init(_ tap: PictureTap, _ format: StreamFormat) throws(CallbackProblem) {
    self.tap = tap
    self.format = format
    channels = tap.channels(format)
    let first = max(1, Int((Self.shortest * format.sampleRate).rounded()))
    rows = channels.map { _ in ColumnRow(capacity: 4096, unitsPerColumn: first) }
    guard tap.hasLoudness(format) else { return }
    guard let state = LoudnessState(format, dualMono: false) else {
      throw CallbackProblem(
        .formatNotSupported, status: .failedInitialization,
        LoudnessState.refusal)
    }
    meter = Meter(state, step: max(1, Int((format.sampleRate / 10).rounded())))
  }

  func add(_ samples: [Double], frameCount count: Int) {
    for (row, channel) in channels.enumerated() {
      rows[row].add(samples, count, channel: channel.index, of: format.channelCount)
    }
    if let meter { measure(samples, count, meter) }
    frameCount += count
  }

  private func measure(_ samples: [Double], _ count: Int, _ meter: Meter) {
    var done = 0
    while done < count, !meter.hasFailed {
      let length = min(meter.step - meter.filled, count - done)
      let start = done * format.channelCount
      let block = samples[start..<(start + length * format.channelCount)].map {
        $0.isFinite ? $0 : 0
      }
      guard meter.state.add(block, frameCount: length) else {
        meter.hasFailed = true
        return
      }
      done += length
      meter.filled = (meter.filled + length) % meter.step
      guard meter.filled == 0 else { continue }
      meter.steps += 1
      loudness.add(
        LoudnessColumn(
          momentary: pow(10, meter.state.momentary / 10),
          shortTerm: meter.steps < Self.shortTermSteps
            ? nil : pow(10, meter.state.shortTerm / 10)), units: 1)
    }
  }

  // MARK: The picture

  func figure() -> Figure {
    let peak = 20 * log10(rows.flatMap { $0.columns.map(\.peak) }.max() ?? 0)
    let isOver = rows.contains { $0.columns.contains { $0.clipCount > 0 } }
    var figure = Figure(
      title: tap.heading, caption: [caption(peak)],
      width: Double(tap.width), height: Double(tap.pixelHeight(format)), theme: tap.theme,
      axis: .time(0...PictureText.duration(frameCount, format), count: 1),
      panels: channels.map { Panel($0.name, Axis("", domain: 0...1), marks: []) },
      legend: [
        LegendEntry("peak", .patch(.series(0), opacity: 0.35)),
        LegendEntry("RMS", .line(.series(0))),
      ])
    if meter != nil {
      if loudness.columns.contains(where: { $0.shortTerm != nil }) {
        figure.legend.append(LegendEntry("short-term loudness (3 s)", .line(.series(1))))
      }
      figure.legend.append(
        LegendEntry("momentary (400 ms)", .patch(.series(1), opacity: 0.45)))
      figure.panels.append(Panel("Loudness", Axis("", domain: 0...1), marks: []))
    }
    if isOver { figure.legend.append(LegendEntry("clipped", .patch(.warning))) }
    let layout = figure.layout
    figure.axis = .time(figure.axis.domain, count: layout.columns)
    let top = peak > 0 ? min(1200, (peak / 6).rounded(.up) * 6) : 0
    for index in figure.panels.indices {
      let isLoudness = index == channels.count
      figure.panels[index].axis = .decibels(
        isLoudness ? "LUFS" : "dBFS", tap.floorLevel...top, count: layout.rows(index))
      let width = max(16, Int(layout.plots[index].width))
      figure.panels[index].marks =
        isLoudness ? loudnessMarks(width) : marks(rows[index], width: width)
    }
    return figure
  }

  private func caption(_ peak: Double) -> String {
    var parts = PictureText.basics(frameCount, format)
    if let channel = tap.channel { parts.append("channel \(channel)") }
    guard let meter, frameCount > 0 else {
      return (parts + ["peak \(PictureText.level(peak)) dBFS"]).joined(separator: " \u{B7} ")
    }
    let reading = meter.state.reading
    if reading.integrated.isFinite {
      parts += [
        "integrated \(PictureText.level(reading.integrated)) LUFS",
        "range \(PictureText.level(reading.range)) LU",
      ]
    }
    parts += [
      "true peak \(PictureText.level(reading.truePeak)) dBTP"
    ]
    return parts.joined(separator: " \u{B7} ")
  }

  /// Peaks as areas and means as lines, both through the centres of the columns.
  private func marks(_ row: ColumnRow<WaveformColumn>, width: Int) -> [Mark] {
    let (columns, units) = row.reduced(to: width)
    let times = middles(columns.count, Double(units) / format.sampleRate)
    let bottom = tap.floorLevel - 2
    let peaks = zip(times, columns).map { time, column in
      Mark.Band(time, bottom, max(bottom, 20 * log10(column.peak)))
    }
    let means = zip(times, columns).map { time, column in
      let level = max(bottom, 20 * log10(column.rms))
      return Mark.Band(time, level, level)
    }
    return [
      .band(toEnds(peaks), .series(0), opacity: 0.35),
      .line(toEnds(means).map { Point($0.x, $0.low) }, .series(0), width: 1.5),
      .flags(
        zip(times, columns).compactMap { $0.1.clipCount > 0 ? $0.0 : nil }, .warning),
    ]
  }

  private func loudnessMarks(_ width: Int) -> [Mark] {
    let (columns, units) = loudness.reduced(to: width)
    let step = Double(units * (meter?.step ?? 1)) / format.sampleRate
    // The loudness at the end of a step covers the time before it.
    let end = Double(frameCount) / format.sampleRate
    let times = columns.indices.map { min(end, Double($0 + 1) * step) }
    let bottom = tap.floorLevel - 2
    func level(_ power: Double) -> Double { max(bottom, 10 * log10(power)) }
    var marks: [Mark] = [
      .band(
        zip(times, columns).map { Mark.Band($0, bottom, level($1.momentary)) }, .series(1),
        opacity: 0.45),
      .line(
        zip(times, columns).compactMap { time, column in
          column.shortTerm.map { Point(time, level($0)) }
        }, .series(1), width: 1.8),
    ]
    let integrated = meter?.state.reading.integrated ?? -.infinity
    if integrated.isFinite {
      marks.append(
        .rule(integrated, .text, text: "integrated \(PictureText.level(integrated)) LUFS"))
    }
    return marks
  }

  private func middles(_ count: Int, _ step: Double) -> [Double] {
    let end = Double(frameCount) / format.sampleRate
    return (0..<count).map { index in
      let start = Double(index) * step
      return (start + min(end, start + step)) / 2
    }
  }

  /// Extends an area to the beginning and the end of the sound.
  private func toEnds(_ bands: [Mark.Band]) -> [Mark.Band] {
    guard var first = bands.first, var last = bands.last else { return [] }
    first.x = 0
    last.x = Double(frameCount) / format.sampleRate
    return [first] + bands + [last]
  }
}
