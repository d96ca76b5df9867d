import AudioTypes
import Diagnostics
import PatchSyntax
import SoundMeasures

/// The printed result of `measure`.
struct MeasureSheet {
  let name: String
  private let sound: Sound
  private let peak: [Double]
  private let truePeak: [Double]
  private let rms: [Double]
  private let dc: [Double]
  private let integrated: Double?
  private let shortTerm: Double?
  private let range: Double?
  private let clipped: [SoundPlace]
  private let clicks: [Click]
  private let dropouts: [SoundPlace]
  private let nonFinite: Int

  init(name: String, sound: Sound) {
    self.name = name
    self.sound = sound
    peak = sound.peak().map(\.value)
    truePeak = sound.truePeak().map(\.value)
    rms = sound.rms().map(\.value)
    dc = sound.dc().map(\.value)
    integrated = sound.integratedLoudness()
    shortTerm = sound.shortTermLoudness()?.greatest.value
    range = sound.loudnessRange()
    clipped = sound.clipped()
    clicks = sound.clicks()
    dropouts = sound.dropouts()
    nonFinite = sound.nonFinite()?.count ?? 0
  }

  // MARK: Text

  var text: String {
    let rows = [
      ("peak", peak, "dBFS"), ("true peak", truePeak, "dBTP"), ("level (RMS)", rms, "dBFS"),
      ("mean (DC)", dc, "dBFS"),
    ]
    var lines = [
      "\(printable(name)): \(fixed(sound.duration, 3)) s, "
        + "\(counted(sound.channelCount, "channel")), \(rateText(sound.sampleRate)) Hz"
    ]
    // The table has eight columns at most; the JSON has all channels.
    let shown = min(8, sound.channelCount)
    if sound.channelCount > 1 {
      lines.append(
        padded("") + (0..<shown).map { column("ch \($0)") }.joined()
          + (shown < sound.channelCount ? "  and \(sound.channelCount - shown) more" : ""))
    }
    lines += rows.map { name, values, unit in
      padded(name) + values.prefix(shown).map { column(fixed($0, 2)) }.joined() + " \(unit)"
    }
    lines.append(padded("loudness") + loudness)
    let faults = [
      (clipped.count, "clipped run", clipped.compactMap(\.frames?.lowerBound).min()),
      (clicks.count, "click", clicks.map(\.frame).min()),
      (dropouts.count, "drop-out", dropouts.compactMap(\.frames?.lowerBound).min()),
      (nonFinite, "sample that is no number", sound.nonFinite()?.first.frames?.lowerBound),
    ].filter { $0.0 > 0 }
    lines.append(
      padded("faults")
        + (faults.isEmpty
          ? "no clipping, clicks or drop-outs"
          : faults.map { count, noun, first in
            let several = noun.hasPrefix("sample") ? "samples that are no numbers" : noun + "s"
            return counted(count, noun, several)
              + (first.map { ", the first at \(fixed(Double($0) / sound.sampleRate, 3)) s" } ?? "")
          }.joined(separator: "; ")))
    return lines.joined(separator: "\n") + "\n"
  }

  private var loudness: String {
    guard let integrated else {
      return "not measured: " + (sound.loudnessRefusal ?? "there is too little sound")
    }
    return [
      "\(fixed(integrated, 2)) LUFS integrated",
      shortTerm.map { "up to \(fixed($0, 2)) LUFS short-term" },
      range.map { "range \(fixed($0, 2)) LU" },
    ].compactMap(\.self).joined(separator: ", ")
  }

  private func padded(_ text: String) -> String {
    "  " + text + String(repeating: " ", count: max(1, 13 - text.count))
  }

  private func column(_ text: String) -> String {
    String(repeating: " ", count: max(1, 9 - text.count)) + text
  }

  // MARK: JSON

  /// Levels in decibels with three decimals; `null` for silence and for values that are not
  /// measured.
  var json: JSONText {
    [
      "name": .string(name), "duration": .number(sound.duration),
      "frames": .number(sound.frameCount), "sampleRate": .number(sound.sampleRate),
      "peak": Self.levels(peak), "truePeak": Self.levels(truePeak), "rms": Self.levels(rms),
      "dc": Self.levels(dc), "integratedLoudness": Self.level(integrated),
      "shortTermLoudness": Self.level(shortTerm), "loudnessRange": Self.level(range),
      "clippedRuns": .number(clipped.count),
      "clicks": .array(
        clicks.prefix(100).map {
          [
            "channel": .number($0.channel), "frame": .number($0.frame),
            "size": Self.level($0.size),
          ]
        }), "clickCount": .number(clicks.count), "dropouts": .number(dropouts.count),
      "nonFiniteSamples": .number(nonFinite),
    ]
  }

  private static func levels(_ values: [Double]) -> JSONText { .array(values.map(level)) }

  private static func level(_ value: Double?) -> JSONText {
    guard let value, value.isFinite else { return .null }
    return .number((value * 1000).rounded() / 1000)
  }
}
