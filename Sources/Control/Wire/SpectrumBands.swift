import Glibc

/// Reduces spectra to bands, so that they can be sent many times a second.
extension ControlMeter {
  /// The meter with its spectrum in bands.
  func inBands(perOctave count: Int) -> ControlMeter {
    guard readings.contains(where: { $0.axis != nil }) else { return self }
    var meter = self
    meter.readings = readings.map { $0.inBands(perOctave: count) }
    return meter
  }
}

extension ControlReading {
  /// The reading with a value for each band from 20 Hz to 20 kHz, up to the last bin: the level of
  /// the strongest bin in the band, or, if bins are wider than bands, the interpolation between the
  /// bins on either side. Rounded to tenths of a decibel.
  func inBands(perOctave count: Int) -> ControlReading {
    guard case .bins(let width) = axis, width > 0, values.count > 1 else { return self }
    let half = pow(2, 0.5 / Double(count))
    let last = Double(values.count - 1)
    var bands: [Double] = []
    for band in 0...(count * 10) {
      let middle = Self.lowestBand * pow(2, Double(band) / Double(count)) / width
      guard middle <= last else { break }
      let first = Int((middle / half).rounded(.up))
      let end = min(Int((middle * half).rounded(.up)), values.count)
      let level: Double
      if first < end {
        level = values[first..<end].max() ?? -.infinity
      } else {
        let below = Int(middle)
        let share = middle - Double(below)
        let (low, high) = (values[below], values[min(below + 1, values.count - 1)])
        level = low.isFinite && high.isFinite ? low + share * (high - low) : max(low, high)
      }
      bands.append(level.rounded(digits: 1))
    }
    return ControlReading(name: name, unit: unit, values: bands, axis: .bands(perOctave: count))
  }
}
