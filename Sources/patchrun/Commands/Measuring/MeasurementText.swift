import AudioGraphs
import Diagnostics
import RenderCore

/// The final reading of a tap in one line: `mix: -23.1 LUFS, range 4.5 LU, true peak -3.2 dBTP`.
enum MeasurementText {
  static func text(_ measurement: TapMeasurement) -> String {
    "\(printable(measurement.name)): \(text(measurement.reading))"
  }

  private static func text(_ reading: TapReading) -> String {
    switch reading {
    case .meter(let meter):
      let peaks = meter.channels.map { fixed($0.highestPeak, 1) }
      let levels = meter.channels.map { fixed($0.overallRMS, 1) }
      return "peak \(row(peaks)) dBFS, RMS \(row(levels)) dBFS"
    case .loudness(let loudness):
      return "\(fixed(loudness.integrated, 1)) LUFS, range \(fixed(loudness.range, 1)) LU, "
        + "true peak \(fixed(loudness.truePeak, 1)) dBTP, up to "
        + "\(fixed(loudness.highestMomentary, 1)) LUFS momentary and "
        + "\(fixed(loudness.highestShortTerm, 1)) LUFS short-term"
    case .spectrum(let spectrum):
      guard spectrum.spectrumCount > 0 else {
        return "no spectrum: there were fewer frames than one is made of"
      }
      guard let frequency = spectrum.overall.peakFrequency else { return "silence" }
      return "strongest at \(fixed(frequency, 1)) Hz, \(fixed(spectrum.overall.peakLevel, 1)) dBFS "
        + "(\(counted(spectrum.spectrumCount, "spectrum", "spectra")), bins of "
        + "\(fixed(spectrum.binWidth, 1)) Hz)"
    }
  }

  /// The first eight values.
  private static func row(_ values: [String]) -> String {
    values.prefix(8).joined(separator: " ") + (values.count > 8 ? " …" : "")
  }
}
