import AudioTypes
import Glibc
import Pictures
import RenderCore
import RenderTaps

/// The power of each pixel row of a spectrogram: the mean of successive spectra.
struct SpectrogramColumn: PictureColumn {
  /// The squared amplitudes of sines, from the lowest frequency up.
  var power: [Float]
  var count = 1

  mutating func join(_ next: SpectrogramColumn) {
    let mine = Float(count) / Float(count + next.count)
    for row in power.indices {
      power[row] = power[row] * mine + next.power[row] * (1 - mine)
    }
    count += next.count
  }
}

/// Summarizes frames as a spectrogram.
///
/// Spectrum n covers the frames around frame n times the hop. A pixel row shows the strongest of
/// its bins, so that the brightness of a sine does not depend on the scale.
final class SpectrogramColumns: PictureColumns {
  private let tap: PictureTap
  private let format: StreamFormat
  private let channels: [(index: Int, name: String)]
  private let hop: Int
  private let window: [Float]
  private let scale: Double
  /// A row for each channel, with its newest `size` frames.
  private let history: SampleStorage
  private var filled: Int
  private let windowed: SampleStorage
  private let spectrum: SpectrumStorage
  private let transform: Transform
  /// The rows of pixels, from the bottom up.
  private let rows: [FrequencyRow]
  private(set) var panels: [ColumnRow<SpectrogramColumn>]
  private(set) var frameCount = 0

  private final class Transform {
    var transform: RealFFT
    init(length: Int) { transform = RealFFT(length: length) }
  }

  init(_ tap: PictureTap, _ format: StreamFormat) {
    self.tap = tap
    self.format = format
    channels = tap.channels(format)
    hop = max(1, Int((Double(tap.size) * (1 - tap.overlap)).rounded()))
    let values = SpectrumWindow.hann.values(tap.size)
    let gain = values.reduce(0, +)
    window = values.map { Float($0) }
    scale = 4 / (gain * gain)
    history = SampleStorage(repeating: 0, count: tap.size * channels.count)
    // The first spectrum is centred on the first frame, with silence before it.
    filled = tap.size / 2
    windowed = SampleStorage(repeating: 0, count: tap.size)
    spectrum = SpectrumStorage(rowCount: 1, binCount: tap.size / 2 + 1)
    transform = Transform(length: tap.size)
    let plot = Self.skeleton(tap, format, caption: "").layout.plots[0]
    rows = FrequencyRow.rows(
      Int(plot.height), Self.axis(tap, format, count: 1),
      binWidth: format.sampleRate / Double(tap.size), binCount: tap.size / 2 + 1)
    let capacity = max(512, 2 * Int(plot.width))
    panels = (0..<tap.panelCount(format)).map { _ in
      ColumnRow(capacity: capacity, unitsPerColumn: 1)
    }
  }

  func add(_ samples: [Double], frameCount count: Int) {
    frameCount += count
    take(count) { frame, channel in samples[frame * self.format.channelCount + channel] }
  }

  /// - Parameter sample: Returns the sample of a frame in a channel of the bus.
  private func take(_ count: Int, _ sample: (Int, Int) -> Double) {
    var done = 0
    while done < count {
      let length = min(tap.size - filled, count - done)
      for (row, channel) in channels.enumerated() {
        let lane = history.buffer(at: row * tap.size + filled, count: length)
        for frame in 0..<length {
          let found = sample(done + frame, channel.index)
          lane[frame] = found.isFinite ? Float(found) : 0
        }
      }
      done += length
      filled += length
      if filled == tap.size { analyze() }
    }
  }

  private func analyze() {
    let isMixed = panels.count == 1
    var mixed = [Double](repeating: 0, count: spectrum.binCount)
    let bins = spectrum[0]
    for channel in channels.indices {
      let lane = history.buffer(at: channel * tap.size, count: tap.size)
      for frame in window.indices { windowed[frame] = lane[frame] * window[frame] }
      transform.transform.forward(windowed.buffer(at: 0, count: tap.size), into: bins)
      var power = [Double](repeating: 0, count: mixed.count)
      for bin in power.indices {
        let real = Double(bins.real[bin])
        let imaginary = Double(bins.imaginary[bin])
        let value = real * real + imaginary * imaginary
        // The ends have one line, where other bins have two: of positive and negative frequency.
        let isEnd = bin == 0 || bin == power.count - 1
        power[bin] = value.isFinite ? value * (isEnd ? scale / 4 : scale) : 1e30
      }
      // Keep the overlap for the next spectrum. Copied forwards, so that the ranges may overlap.
      for frame in hop..<max(hop, tap.size) { lane[frame - hop] = lane[frame] }
      if isMixed {
        for bin in power.indices { mixed[bin] += power[bin] / Double(channels.count) }
      } else {
        panels[channel].add(column(power), units: 1)
      }
    }
    if isMixed { panels[0].add(column(mixed), units: 1) }
    filled = tap.size - hop
  }

  private func column(_ power: [Double]) -> SpectrogramColumn {
    SpectrogramColumn(power: rows.map { Float(min(1e30, $0.power(power))) })
  }

  // MARK: The picture

  func figure() -> Figure {
    // Silence, until the last frame has been at the centre of a spectrum.
    if frameCount > 0 { take(tap.size / 2) { _, _ in 0 } }
    var figure = Self.skeleton(tap, format, caption: caption)
    let layout = figure.layout
    let seconds = PictureText.duration(frameCount, format)
    figure.axis = .time(0...seconds, count: layout.columns)
    figure.colors = .decibels(
      "dBFS", tap.floorLevel...tap.ceilingLevel,
      count: max(2, Int((layout.plots.last?.bottom ?? 0) / 32)))
    for index in figure.panels.indices {
      let plot = layout.plots[index]
      figure.panels[index].axis = Self.axis(tap, format, count: layout.rows(index))
      figure.panels[index].marks = [
        .raster(raster(panels[index], width: Int(plot.width), seconds: seconds))
      ]
    }
    return figure
  }

  /// A figure without marks, for the layout.
  private static func skeleton(
    _ tap: PictureTap, _ format: StreamFormat, caption: String
  ) -> Figure {
    let names =
      tap.panelCount(format) == 1
      ? [""] : tap.channels(format).map(\.name)
    return Figure(
      title: tap.heading, caption: [caption], width: Double(tap.width),
      height: Double(tap.pixelHeight(format)), theme: tap.theme, axis: .time(0...1, count: 1),
      panels: names.map { Panel($0, axis(tap, format, count: 1), marks: []) },
      colors: .decibels("dBFS", tap.floorLevel...tap.ceilingLevel, count: 1))
  }

  private static func axis(_ tap: PictureTap, _ format: StreamFormat, count: Int) -> Axis {
    let top = format.sampleRate / 2
    return tap.frequencies == .linear
      ? .frequency(0...top, .linear, count: count)
      : .frequency(min(20, top / 100)...top, .logarithmic, count: count)
  }

  private var caption: String {
    var parts = PictureText.basics(frameCount, format)
    if let channel = tap.channel {
      parts.append("channel \(channel)")
    } else if format.channelCount > 1, panels.count == 1 {
      parts.append("mean of all")
    }
    let width = format.sampleRate / Double(tap.size)
    parts.append("Hann window of \(tap.size) frames: bins of \(Decimal.text(width, 1)) Hz")
    return parts.joined(separator: " \u{B7} ")
  }

  private func raster(
    _ panel: ColumnRow<SpectrogramColumn>, width: Int, seconds: Double
  ) -> Raster {
    var pixels = [UInt32](repeating: ColorMap.pixel(0), count: width * rows.count)
    let columns = panel.columns
    guard !columns.isEmpty, frameCount > 0 else {
      return Raster(width: width, height: rows.count, pixels: pixels)
    }
    let hops = seconds * format.sampleRate / Double(hop)
    let each = Double(panel.unitsPerColumn)
    let span = hops / each / Double(width)
    var level = [Double](repeating: 0, count: rows.count)
    for x in 0..<width {
      // In columns, whose centres are whole numbers.
      let middle = ((Double(x) + 0.5) / Double(width) * hops + 0.5) / each - 0.5
      if span > 1 {
        let first = min(columns.count - 1, max(0, Int((middle - span / 2).rounded(.up))))
        let last = min(columns.count - 1, max(first, Int((middle + span / 2).rounded(.down))))
        for row in level.indices {
          let sum = columns[first...last].reduce(0) { $0 + Double($1.power[row]) }
          level[row] = 10 * log10(sum / Double(last - first + 1))
        }
      } else {
        let place = min(Double(columns.count - 1), max(0, middle))
        let first = Int(place)
        let next = min(columns.count - 1, first + 1)
        let share = place - Double(first)
        for row in level.indices {
          let (low, high) = (Double(columns[first].power[row]), Double(columns[next].power[row]))
          level[row] = 10 * ((1 - share) * log10(max(low, 1e-30)) + share * log10(max(high, 1e-30)))
        }
      }
      for row in level.indices {
        let value = (level[row] - tap.floorLevel) / (tap.ceilingLevel - tap.floorLevel)
        pixels[(rows.count - 1 - row) * width + x] = ColorMap.pixel(value)
      }
    }
    return Raster(width: width, height: rows.count, pixels: pixels)
  }
}

/// The bins of a pixel row.
enum FrequencyRow {
  /// The strongest of several bins.
  case bins(ClosedRange<Int>)
  /// A position between two bins: the lower one, and the distance from it.
  case between(Int, Double)

  func power(_ power: [Double]) -> Double {
    switch self {
    case .bins(let bins): return bins.reduce(0) { max($0, power[$1]) }
    case .between(let bin, let share):
      // Interpolated in decibels, as it is displayed.
      let (low, high) = (max(power[bin], 1e-30), max(power[bin + 1], 1e-30))
      return low * pow(high / low, share)
    }
  }

  /// The pixel rows of an axis, from the lowest frequency up.
  static func rows(
    _ count: Int, _ axis: Axis, binWidth: Double, binCount: Int
  ) -> [FrequencyRow] {
    (0..<count).map { row in
      let low = axis.value(Double(row) / Double(count)) / binWidth
      let high = axis.value(Double(row + 1) / Double(count)) / binWidth
      let first = Int(low.rounded(.up))
      let last = min(binCount - 1, Int(high.rounded(.up)) - 1)
      if high - low >= 1, first <= last { return .bins(first...last) }
      let middle = min(Double(binCount - 1), max(0, (low + high) / 2))
      let bin = min(binCount - 2, Int(middle))
      return .between(bin, middle - Double(bin))
    }
  }
}
