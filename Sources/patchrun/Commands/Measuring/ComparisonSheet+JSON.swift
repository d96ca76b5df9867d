import PatchSyntax
import SoundMeasures

extension ComparisonSheet {
  func json() -> JSONText {
    let null = comparison.null
    return [
      "a": .string(name),
      "b": .string(referenceName),
      "same": .boolean(isSame),
      "verdict": .string(verdict),
      "nullBelow": .number(bound),
      "peakBelow": peakBound.map { .number($0) } ?? .null,
      "sampleRate": .number(comparison.sampleRate),
      "convertedFrom": convertedFrom.map { .number($0) } ?? .null,
      "channelCount": .number(comparison.channelCount),
      "firstFrame": .number(comparison.frames.lowerBound),
      "frames": .number(comparison.frames.count),
      "offsetFrames": .number(rounded(comparison.offset, 1e4)),
      "offset": .number(rounded(comparison.offset / comparison.sampleRate, 1e9)),
      "gainDB": .number(rounded(comparison.gain, 1e5)),
      "isInverted": .boolean(comparison.isInverted),
      "differenceRMS": level(null.rms),
      "differencePeak": level(null.peak),
      "referenceRMS": level(null.reference),
      "relativeDB": level(null.relative),
      "worst": reading(comparison.worst),
      "worstSample": reading(comparison.worstSample),
      "channels": .array(
        comparison.channels.enumerated().map { index, channel in
          [
            "channel": .number(index),
            "differenceRMS": level(channel.null.rms),
            "differencePeak": level(channel.null.peak),
            "referenceRMS": level(channel.null.reference),
            "gainDB": channel.gain.map(level) ?? .null,
            "isInverted": .boolean(channel.isInverted),
          ]
        }),
      "overTime": .array(
        comparison.overTime.map { block in
          [
            "time": .number(
              rounded(Double(block.frames.lowerBound) / comparison.sampleRate, 1e6)),
            "reference": .array(block.reference.map(level)),
            "difference": .array(block.difference.map(level)),
          ]
        }),
      "overFrequency": .array(
        comparison.overFrequency.map { band in
          [
            "frequency": .number(rounded(band.frequency, 100)),
            "reference": level(band.reference),
            "difference": level(band.difference),
          ]
        }),
      "surplus": .array(
        comparison.surplus.map { surplus in
          [
            "of": surplus.side == .sound ? "a" : "b",
            "firstFrame": .number(surplus.frames.lowerBound),
            "frames": .number(surplus.frames.count),
            "peak": level(surplus.peak),
            "isMovedOut": .boolean(surplus.isMovedOut),
          ]
        }),
      "notes": .strings(notes),
    ]
  }

  private func rounded(_ value: Double, _ factor: Double) -> Double {
    value.isFinite ? (value * factor).rounded() / factor : value
  }

  /// A level with three decimals; `JSONText.number` writes minus infinity (silence) as `null`.
  private func level(_ value: Double) -> JSONText { .number(rounded(value, 1000)) }

  private func reading(_ reading: SoundReading?) -> JSONText {
    guard let reading, let frames = reading.place.frames else { return .null }
    return [
      "level": level(reading.value),
      "firstFrame": .number(frames.lowerBound),
      "frames": .number(frames.count),
      "time": .number(rounded(Double(frames.lowerBound) / comparison.sampleRate, 1e6)),
      "channel": reading.place.channel.map { .number($0) } ?? .null,
      "frequency": reading.place.frequency.map { .number(rounded($0, 100)) } ?? .null,
    ]
  }
}
