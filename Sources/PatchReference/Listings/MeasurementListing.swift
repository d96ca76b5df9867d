public import AudioGraphs
public import PatchSyntax
public import RenderCore

/// The readings of a graph's taps as JSON: the same for the command line and for requests to a
/// running graph.
public enum MeasurementListing {
  /// A member for each tap that measures, by its name. Minus infinity is `null`.
  public static func json(_ measurements: [TapMeasurement]) -> JSONText {
    .object(measurements.map { JSONText.Member($0.name, json($0.reading)) })
  }

  /// One reading. Levels are in dBFS, unless their names say another unit.
  public static func json(_ reading: TapReading) -> JSONText {
    switch reading {
    case .meter(let meter): json(meter)
    case .loudness(let loudness): json(loudness)
    case .spectrum(let spectrum): json(spectrum)
    }
  }

  private static func json(_ meter: MeterReading) -> JSONText {
    [
      "kind": "meter",
      "frames": .number(meter.frameCount),
      "channels": .array(
        meter.channels.map { channel in
          [
            "peak": level(channel.peak),
            "rms": level(channel.rms),
            "heldPeak": level(channel.heldPeak),
            "highestPeak": level(channel.highestPeak),
            "overallRMS": level(channel.overallRMS),
          ]
        }),
    ]
  }

  private static func json(_ loudness: LoudnessReading) -> JSONText {
    [
      "kind": "loudness",
      "frames": .number(loudness.frameCount),
      "momentaryLUFS": level(loudness.momentary),
      "shortTermLUFS": level(loudness.shortTerm),
      "integratedLUFS": level(loudness.integrated),
      "rangeLU": level(loudness.range),
      "highestMomentaryLUFS": level(loudness.highestMomentary),
      "highestShortTermLUFS": level(loudness.highestShortTerm),
      "truePeakDBTP": level(loudness.truePeak),
      "truePeaksDBTP": .array(loudness.truePeaks.map(level)),
    ]
  }

  private static func json(_ spectrum: SpectrumReading) -> JSONText {
    [
      "kind": "spectrum",
      "frames": .number(spectrum.frameCount),
      "spectra": .number(spectrum.spectrumCount),
      "binWidth": .number(spectrum.binWidth),
      "recent": json(spectrum.recent),
      "overall": json(spectrum.overall),
    ]
  }

  private static func json(_ curve: SpectrumReading.Curve) -> JSONText {
    [
      "peakFrequency": curve.peakFrequency.map { .number(rounded($0, 1000)) } ?? .null,
      "peakLevel": level(curve.peakLevel),
      "levels": .array(curve.levels.map { level(Double($0)) }),
    ]
  }

  /// Rounded to a hundredth of a decibel or of a loudness unit.
  private static func level(_ value: Double) -> JSONText { .number(rounded(value, 100)) }

  private static func rounded(_ value: Double, _ scale: Double) -> Double {
    (value * scale).rounded() / scale
  }
}
