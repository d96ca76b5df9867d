import AudioTypes
import Glibc
import Pictures

/// The extremes and the sum of squares of a stretch of a channel.
struct WaveformColumn: PictureColumn {
  var low: Double
  var high: Double
  /// The sum of squares.
  var sum: Double
  var frameCount: Int
  /// Frames at full scale or above.
  var clipCount: Int

  /// The smallest magnitude that counts as clipped: the largest 16-bit value.
  static let full = 1 - 1 / 32_768.0

  /// Summarizes frames of a channel, out of `stride` interleaved ones.
  init(_ samples: [Double], _ frames: Range<Int>, channel: Int, of stride: Int) {
    low = .infinity
    high = -.infinity
    sum = 0
    frameCount = frames.count
    clipCount = 0
    for frame in frames {
      let found = samples[frame * stride + channel]
      let sample = found.isFinite ? found : 0
      low = sample < low ? sample : low
      high = sample > high ? sample : high
      sum += sample * sample
      if sample.magnitude >= Self.full { clipCount += 1 }
    }
  }

  mutating func join(_ next: WaveformColumn) {
    low = min(low, next.low)
    high = max(high, next.high)
    sum += next.sum
    frameCount += next.frameCount
    clipCount += next.clipCount
  }

  var rms: Double { (sum / Double(max(1, frameCount))).squareRoot() }
  var peak: Double { max(high.magnitude, low.magnitude) }
}

extension ColumnRow<WaveformColumn> {
  /// Adds frames of a channel, out of `stride` interleaved ones.
  mutating func add(_ samples: [Double], _ frameCount: Int, channel: Int, of stride: Int) {
    var done = 0
    while done < frameCount {
      let length = min(room, frameCount - done)
      add(
        WaveformColumn(samples, done..<(done + length), channel: channel, of: stride),
        units: length)
      done += length
    }
  }
}

/// Summarizes frames as a waveform.
final class WaveformColumns: PictureColumns {
  private let tap: PictureTap
  private let format: StreamFormat
  private let channels: [(index: Int, name: String)]
  private(set) var rows: [ColumnRow<WaveformColumn>]
  private(set) var frameCount = 0

  init(_ tap: PictureTap, _ format: StreamFormat) {
    self.tap = tap
    self.format = format
    channels = tap.channels(format)
    rows = channels.map { _ in ColumnRow(capacity: 8192, unitsPerColumn: 1) }
  }

  func add(_ samples: [Double], frameCount count: Int) {
    for (row, channel) in channels.enumerated() {
      rows[row].add(samples, count, channel: channel.index, of: format.channelCount)
    }
    frameCount += count
  }

  // MARK: The picture

  func figure() -> Figure {
    let clips = rows.map { $0.columns.reduce(0) { $0 + $1.clipCount } }
    let peak = rows.flatMap { $0.columns.map(\.peak) }.max() ?? 0
    var figure = Figure(
      title: tap.heading, caption: [caption(peak, clips.reduce(0, +))],
      width: Double(tap.width), height: Double(tap.pixelHeight(format)), theme: tap.theme,
      axis: .time(0...PictureText.duration(frameCount, format), count: 1),
      panels: channels.map {
        Panel($0.name, Axis("", domain: 0...1), marks: [])
      },
      legend: [
        LegendEntry("extremes", .patch(.series(0), opacity: 0.45)),
        LegendEntry("RMS", .patch(.series(0))),
      ] + (clips.contains { $0 > 0 } ? [LegendEntry("clipped", .patch(.warning))] : []))
    var layout = figure.layout
    if let row = rows.first, row.reduced(to: max(16, Int(layout.plots[0].width))).units == 1 {
      // Each frame is drawn, so that there are no extremes and no RMS.
      figure.legend.removeFirst(2)
      layout = figure.layout
    }
    figure.axis = .time(figure.axis.domain, count: layout.columns)
    for index in channels.indices {
      figure.panels[index].axis = axis(peak, layout.rows(index))
      figure.panels[index].marks = marks(rows[index], width: Int(layout.plots[index].width))
    }
    return figure
  }

  private func caption(_ peak: Double, _ clipCount: Int) -> String {
    var parts = PictureText.basics(frameCount, format)
    if let channel = tap.channel { parts.append("channel \(channel)") }
    parts.append("peak \(PictureText.level(20 * log10(peak))) dBFS")
    if clipCount > 0 {
      parts.append("\(clipCount) sample\(clipCount == 1 ? "" : "s") at full scale or beyond")
    }
    return parts.joined(separator: " \u{B7} ")
  }

  private func axis(_ peak: Double, _ count: Int) -> Axis {
    switch tap.amplitude {
    case .linear:
      // Extended beyond full scale to a round number, where the peak needs it.
      let steps = [1, 1.25, 1.5, 2, 2.5, 4, 5, 8, 10]
      var limit = steps.first { $0 >= min(peak, 10) } ?? 10
      while limit < peak, limit < 1e30 { limit *= 10 }
      return .numbers("1 is full scale", -limit...limit, count: count)
    case .decibels:
      let over = 20 * log10(max(peak, 1e-30))
      let top = over > 0 ? (over / 6).rounded(.up) * 6 : 0
      return .decibels("dBFS", tap.floorLevel...min(top, 1200), count: count)
    }
  }

  private func marks(_ row: ColumnRow<WaveformColumn>, width: Int) -> [Mark] {
    let (columns, units) = row.reduced(to: max(16, width))
    let step = Double(units) / format.sampleRate
    let end = Double(frameCount) / format.sampleRate
    // A single sample is drawn at its time, a summary at its centre.
    let offset = units == 1 ? 0 : step / 2
    let times = columns.indices.map { min(end, Double($0) * step + offset) }
    var extremes: [Mark.Band] = []
    var means: [Mark.Band] = []
    for (time, column) in zip(times, columns) {
      switch tap.amplitude {
      case .linear:
        extremes.append(.init(time, column.low, column.high))
        means.append(.init(time, max(-column.rms, column.low), min(column.rms, column.high)))
      case .decibels:
        let bottom = tap.floorLevel - 1
        extremes.append(.init(time, bottom, max(bottom, 20 * log10(column.peak))))
        means.append(.init(time, bottom, max(bottom, 20 * log10(column.rms))))
      }
    }
    var marks: [Mark] = []
    if units == 1 {
      // Each sample is visible.
      marks.append(
        .line(extremes.map { Point($0.x, $0.high) }, .series(0), width: 1.2))
    } else {
      marks.append(.band(extremes, .series(0), opacity: 0.45))
      if tap.amplitude == .linear {
        // A band thinner than a pixel would fade away.
        marks.append(
          .line(extremes.map { Point($0.x, ($0.low + $0.high) / 2) }, .series(0), width: 0.6))
      }
      marks.append(.band(means, .series(0)))
    }
    if tap.amplitude == .linear { marks.append(.rule(0, .axis)) }
    marks.append(
      .flags(
        zip(times, columns).compactMap { $0.1.clipCount > 0 ? $0.0 : nil }, .warning,
        isMirrored: tap.amplitude == .linear))
    return marks
  }
}

/// Texts of all pictures.
enum PictureText {
  /// In seconds; 1 for a picture without frames.
  static func duration(_ frameCount: Int, _ format: StreamFormat) -> Double {
    frameCount > 0 ? Double(frameCount) / format.sampleRate : 1
  }

  /// `0:10.000`, `2 channels`, `44.1 kHz`
  static func basics(_ frameCount: Int, _ format: StreamFormat) -> [String] {
    guard frameCount > 0 else { return ["there was no sound: not a single frame"] }
    return [
      clock(Double(frameCount) / format.sampleRate),
      format.channelCount == 1 ? "mono" : "\(format.channelCount) channels",
      "\(rateText(format.sampleRate / 1000)) kHz",
    ]
  }

  /// In decibels, with one decimal.
  static func level(_ value: Double) -> String { Decimal.text(value, 1) }

  /// `1:02:03.500`
  private static func clock(_ seconds: Double) -> String {
    let thousandths = Int((seconds * 1000).rounded())
    let (whole, rest) = (thousandths / 1000, thousandths % 1000)
    let (hours, minutes) = (whole / 3600, whole / 60 % 60)
    var text = "\(minutes):" + padded(whole % 60, 2) + "." + padded(rest, 3)
    if hours > 0 { text = "\(hours):" + (minutes < 10 ? "0" : "") + text }
    return text
  }

  private static func padded(_ number: Int, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}
