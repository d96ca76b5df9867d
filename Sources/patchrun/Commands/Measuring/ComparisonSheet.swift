import AudioTypes
import Diagnostics
import SoundMeasures

/// The printed result of `compare`.
struct ComparisonSheet {
  let comparison: SoundComparison
  let options: SoundComparison.Options
  let name: String
  let referenceName: String
  /// The original rate of A in Hz; `nil` if it was not converted.
  let convertedFrom: Double?
  /// The bound of the RMS in 20 ms, in dBFS.
  let bound: Double
  /// The bound of the peak in dBFS; `nil` for none.
  let peakBound: Double?

  var isSame: Bool { comparison.isBelow(bound, peak: peakBound) }

  func channelName(_ channel: Int) -> String {
    comparison.channelCount == 1
      ? "" : comparison.channelCount == 2 ? ["left", "right"][channel] : "channel \(channel)"
  }

  private var loudBlocks: Int {
    comparison.overTime.count { block in block.difference.contains { $0 > bound } }
  }

  /// For example `12.37 frames late, 0.258 ms`.
  var offsetText: String {
    let offset = comparison.offset
    guard options.aligns else { return "not looked for" }
    guard offset != 0 else { return "none" }
    let count = offset.magnitude
    let frames = count == count.rounded() ? fixed(count, 0) : fixed(count, 2)
    return "\(frames) frame\(frames == "1" ? "" : "s") \(offset < 0 ? "early" : "late"), "
      + "\(fixed(count / comparison.sampleRate * 1000, 3)) ms"
  }

  var gainText: String {
    guard options.matchesGain else { return "not matched" }
    return "\(fixed(comparison.gain, 3)) dB" + (comparison.isInverted ? ", upside down" : "")
  }

  var differenceText: String {
    let null = comparison.null
    guard null.peak > -.infinity else {
      return comparison.frames.isEmpty
        ? "not measured: they have no frame in common" : "none: the samples are the same"
    }
    let relative =
      null.reference > -.infinity
      ? ", \(fixed(null.relative.magnitude, 1)) dB \(null.relative < 0 ? "below" : "above") B" : ""
    return "\(fixed(null.rms, 1)) dBFS RMS\(relative); peak \(fixed(null.peak, 1)) dBFS"
  }

  var worstText: String? {
    guard let worst = comparison.worst, let frames = worst.place.frames else { return nil }
    var parts = ["\(fixed(worst.value, 1)) dBFS in 20 ms at \(time(frames.lowerBound))"]
    if let channel = worst.place.channel, comparison.channelCount > 1 {
      parts.append(channelName(channel))
    }
    if let frequency = worst.place.frequency { parts.append("around \(hertz(frequency))") }
    return parts.joined(separator: ", ")
  }

  /// For example `same: the difference is below -90 dBFS in every 20 ms`.
  var verdict: String {
    let limit = "\(fixed(bound, bound == bound.rounded() ? 0 : 1)) dBFS"
    if isSame {
      return comparison.null.peak == -.infinity
        ? "same" : "same: the difference is below \(limit) in every 20 ms"
    }
    if comparison.unmatched > 0 {
      return "different: \(counted(comparison.unmatched, "sample")) of one of them "
        + "\(comparison.unmatched == 1 ? "is" : "are") no finite number"
    }
    if loudBlocks > 0 {
      return "different: above \(limit) in \(loudBlocks) of "
        + "\(comparison.overTime.count) stretches of 20 ms"
    }
    if let peakBound, comparison.null.peak > peakBound {
      return "different: its peak is above \(fixed(peakBound, 1)) dBFS"
    }
    return "different: one of them goes on where the other has ended"
  }

  /// Further findings, one sentence each.
  var notes: [String] {
    var notes: [String] = []
    if let convertedFrom {
      notes.append(
        "A was converted from \(rateText(convertedFrom)) to \(rateText(comparison.sampleRate)) Hz")
    }
    notes += comparison.findings.compactMap(text)
    for surplus in comparison.surplus where !surplus.isMovedOut {
      let seconds = Double(surplus.frames.count) / comparison.sampleRate
      notes.append(
        "only \(side(surplus.side)) has \(fixed(seconds, 3)) s "
          + (surplus.frames.lowerBound == 0 ? "at the beginning" : "at the end")
          + (surplus.peak > -.infinity ? ", peak \(fixed(surplus.peak, 1)) dBFS" : ", silent"))
    }
    return notes
  }

  private func side(_ side: SoundComparison.Side) -> String { side == .sound ? "A" : "B" }

  private func text(_ finding: SoundComparison.Finding) -> String? {
    switch finding {
    case .silent(let side): return "\(self.side(side)) is silent"
    case .unrelated:
      return
        "no offset up to \(fixed(options.mostOffset, 1)) s makes them alike: they are compared "
        + "as they are"
    case .inverted(let channels):
      guard !channels.isEmpty else {
        return comparison.isInverted ? nil : "A is upside down"
      }
      return "upside down: \(listed(channels.map(channelName)))"
    case .swapped(let less):
      return "left and right are changed round: "
        + (less.isFinite
          ? "then \(fixed(less, 0)) dB less would be left" : "then nothing would be left")
    case .notFinite(let side, let count, let first):
      return "\(self.side(side)) has \(counted(count, "sample")) that "
        + "\(count == 1 ? "is no finite number" : "are no finite numbers"), the first at "
        + time(first)
    case .drifts(let slope):
      let millionths = slope / comparison.sampleRate * 1e6
      return "A runs \(slope > 0 ? "slower" : "faster"), by about "
        + "\(fixed(millionths.magnitude, millionths.magnitude < 10 ? 1 : 0)) millionths: the offset "
        + "changes by \(fixed(slope, 2)) frames in a second"
    }
  }

  /// A time with milliseconds: `0:03.220`.
  func time(_ frame: Int) -> String {
    let thousandths = Int((Double(frame) / comparison.sampleRate * 1000).rounded())
    let (whole, rest) = (thousandths / 1000, String(thousandths % 1000))
    let seconds = whole % 60
    return "\(whole / 60):\(seconds < 10 ? "0" : "")\(seconds)."
      + String(repeating: "0", count: 3 - rest.count) + rest
  }

  /// The nominal frequency of a third of an octave: `63 Hz`, `1.6 kHz`.
  func hertz(_ frequency: Double) -> String {
    // Preferred numbers, R10 of ISO 3.
    let names = [10, 12.5, 16, 20, 25, 31.5, 40, 50, 63, 80]
    var decade = 1.0
    while frequency >= 95 * decade { decade *= 10 }
    let nearest = names.min {
      ($0 * decade - frequency).magnitude < ($1 * decade - frequency).magnitude
    }
    let value = (nearest ?? 10) * decade
    return value >= 1000 ? "\(shortest(value / 1000)) kHz" : "\(shortest(value)) Hz"
  }

  private func shortest(_ value: Double) -> String {
    for digits in 0...1 {
      let text = fixed(value, digits)
      if Double(text) == value { return text }
    }
    return fixed(value, 2)
  }

  // MARK: Text

  func text() -> String {
    let seconds = Double(comparison.frames.count) / comparison.sampleRate
    var rows = [("offset", offsetText), ("gain", gainText), ("difference", differenceText)]
    if let worstText { rows.append(("most of it", worstText)) }
    let shown = comparison.channels.indices.prefix(16)
    if comparison.channelCount > 1, comparison.null.peak > -.infinity {
      let levels = shown.map { index in
        "\(channelName(index)) \(fixed(comparison.channels[index].null.rms, 1))"
      }
      rows.append(
        (
          "channels",
          levels.joined(separator: ", ") + (shown.count < comparison.channelCount ? ", …" : "")
            + " dBFS RMS"
        ))
    }
    var text =
      "A \(printable(name)), B \(printable(referenceName)): \(fixed(seconds, 3)) s, "
      + "\(counted(comparison.channelCount, "channel")), \(rateText(comparison.sampleRate)) Hz\n"
    for (title, value) in rows {
      text += "  \(title)\(String(repeating: " ", count: 12 - title.count))\(value)\n"
    }
    for note in notes { text += "  note: \(note)\n" }
    return text + verdict + "\n"
  }
}
