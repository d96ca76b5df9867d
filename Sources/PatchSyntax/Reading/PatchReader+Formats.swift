import AudioTypes
import Diagnostics

extension PatchReader {
  // MARK: Stream formats

  mutating func streamFormat(
    _ json: JSONValue, mayBeName: Bool = true
  ) -> Located<PatchDocument.StreamFormat>? {
    if mayBeName, json.kind == .string {
      return string(json, "'streamFormat'").map { Located(.name($0.value), at: json) }
    }
    guard json.kind == .object else {
      reportType(
        json, "a stream format", mayBeName ? "a name or an object" : "an object",
        help: "write { \"sample\": \"float32\", \"channels\": 2, \"sampleRate\": \"session\" }")
      return nil
    }
    let keys = json.members.map(\.key)
    let short = keys.first { PatchGrammar.shortFormat.keys.contains($0.string ?? "") }
    let full = keys.first { PatchGrammar.formatDescription.keys.contains($0.string ?? "") }
    if let short, let full {
      diagnostics.append(.twoForms(short: short, full: full))
      return nil
    }
    return full == nil ? shortFormat(json) : formatDescription(json)
  }

  private mutating func shortFormat(_ json: JSONValue) -> Located<PatchDocument.StreamFormat> {
    var format = PatchDocument.ShortFormat()
    read(json, as: PatchGrammar.shortFormat, into: &format)
    return Located(.short(format), at: json)
  }

  private mutating func formatDescription(
    _ json: JSONValue
  ) -> Located<PatchDocument.StreamFormat> {
    var format = PatchDocument.FormatDescription()
    let errors = diagnostics.count
    read(json, as: PatchGrammar.formatDescription, into: &format)
    format.hasGaps = diagnostics.count > errors
    return Located(.description(format), at: json)
  }

  mutating func sampleRate(
    _ json: JSONValue, _ name: String
  ) -> Located<PatchDocument.SampleRate>? {
    if json.kind == .string {
      if json.string == "session" { return Located(.session, at: json) }
    } else if json.kind == .number, let rate = json.number {
      // Core Audio takes rates from 0 up, but a rate below 1 Hz is a mistake.
      guard rate >= 1, rate.isFinite else {
        diagnostics.append(.rateOutOfRange(json, name, isTooGreat: rate > 1))
        return nil
      }
      return Located(.hertz(rate), at: json)
    }
    reportType(json, name, "a number of hertz or \"session\"", wanted: .number)
    return nil
  }
}
