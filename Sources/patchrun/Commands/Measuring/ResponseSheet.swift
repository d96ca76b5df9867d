import AudioTypes
import Diagnostics
import PatchRendering
import PatchSyntax
import Pictures
import Responses

/// The printed result of `response`.
struct ResponseSheet {
  let places: ResponsePlaces
  let measured: MeasuredResponse
  /// The RMS level of the test signal, in dBFS.
  let level: Double
  /// The title of the patch; empty for none.
  let title: String

  private var response: Response { measured.response }

  /// The warnings about the response, one sentence each.
  var warnings: [String] {
    response.warnings.map { warning in
      switch warning {
      case .changes(let share):
        "the path changes with time: by \(fixed(share * 100, 0)) % of its greatest amplitude within "
          + "\(fixed(measured.tones.period, 1)) s. What is shown is a moment of it"
      case .dependsOnLevel(let decibels, let frequency):
        "the path is not linear: at \(fixed(frequency, 0)) Hz it gives \(fixed(decibels.magnitude, 1)) "
          + "dB \(decibels > 0 ? "more" : "less") when 20 dB less goes in"
      case .adds(let decibels, let isDistortion):
        "\(fixed(decibels, 0)) dB of what comes out is at frequencies that did not go in: the path "
          + (isDistortion ? "distorts" : "changes with time, or makes sounds of its own")
      }
    }
  }

  private var latencyText: String {
    response.latencyFrames == 0
      ? "no latency"
      : "latency \(counted(response.latencyFrames, "frame")), "
        + "\(fixed(response.latency * 1000, 2)) ms (not in the phase)"
  }

  private func end(_ name: String, _ format: StreamFormat) -> String {
    "\(name) (\(rateText(format.sampleRate / 1000)) kHz, "
      + (format.channelCount == 1 ? "mono)" : "\(format.channelCount) channels)")
  }

  private var heading: String {
    "from \(end(places.fromName, places.input)) to \(end(places.toName, places.output)), "
      + "peak \(fixed(level, 0)) dBFS"
  }

  // MARK: Tables

  func text() -> String {
    var text = printable(heading) + "\n" + latencyText + "\n"
    for channel in response.distinctChannels {
      let name = response.name(of: channel)
      text += name.isEmpty ? "\n" : "\n\(name)\n"
      text += "   frequency    magnitude       phase    group delay\n"
      for index in response.frequencies.indices {
        text += padded(fixed(response.frequencies[index], 1), 9) + " Hz"
        text += padded(fixed(channel.magnitude[index], 2), 10) + " dB"
        text += padded(number(channel.phase[index], 1), 10) + "\u{B0}"
        text += padded(number(channel.groupDelay[index] * 1000, 3), 12) + " ms\n"
      }
    }
    return text
  }

  func csv() -> String {
    let channels = response.distinctChannels
    var columns = ["frequency Hz"]
    for channel in channels {
      let name = response.name(of: channel)
      columns += ["magnitude dB", "phase degrees", "group delay s"].map {
        name.isEmpty ? $0 : "\(name) \($0)"
      }
    }
    var text = columns.joined(separator: ",") + "\n"
    for index in response.frequencies.indices {
      var row = [fixed(response.frequencies[index], 4)]
      for channel in channels {
        row.append(plain(channel.magnitude[index], 6))
        row.append(plain(channel.phase[index], 4))
        row.append(plain(channel.groupDelay[index], 9))
      }
      text += row.joined(separator: ",") + "\n"
    }
    return text
  }

  func json() -> String {
    let text: JSONText = [
      "from": .string(places.fromName),
      "to": .string(places.toName),
      "level": .number(level),
      "latencyFrames": .number(response.latencyFrames),
      "latency": .number(response.latency),
      "sampleRate": .number(places.output.sampleRate),
      "frequencies": .array(response.frequencies.map { JSONText.number(rounded($0, 1e4)) }),
      "channels": .array(
        response.channels.map { channel in
          [
            "channel": .number(channel.number),
            "magnitudeDB": .array(channel.magnitude.map { JSONText.number(rounded($0, 1e6)) }),
            "phaseDegrees": .array(channel.phase.map { JSONText.number(rounded($0, 1e4)) }),
            "groupDelay": .array(channel.groupDelay.map { JSONText.number(rounded($0, 1e9)) }),
          ]
        }),
      "warnings": .strings(warnings),
    ]
    return text.document
  }

  private func rounded(_ value: Double, _ factor: Double) -> Double {
    value.isFinite ? (value * factor).rounded() / factor : value
  }

  private func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  /// A number; `-` if it is not finite.
  private func number(_ value: Double, _ digits: Int) -> String {
    value.isFinite ? fixed(value, digits) : "-"
  }

  /// A number; empty if it is NaN.
  private func plain(_ value: Double, _ digits: Int) -> String {
    value.isNaN ? "" : fixed(value, digits)
  }

  // MARK: Pictures

  /// Replaces hyphens by minus signs.
  private static func typeset(_ text: String) -> String {
    var result = ""
    var last: Character = " "
    for (character, next) in zip(text, text.dropFirst() + " ") {
      let isMinus = character == "-" && last == " " && next.isNumber
      result.append(isMinus ? "\u{2212}" : character)
      last = character
    }
    return result
  }

  func drawing(width: Double, height: Double, theme: Theme) -> Drawing {
    let name = title.isEmpty ? "Response" : "\(title): response"
    return response.figure(
      title: name, caption: ([heading + " \u{B7} " + latencyText] + warnings).map(Self.typeset),
      width: width, height: height, theme: theme
    ).drawing()
  }
}
