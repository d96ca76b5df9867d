import AudioTypes
import Diagnostics

extension PatchReader {
  // MARK: Stream formats

  private static let shortKeys = ["sample", "channels", "sampleRate", "interleaved"]
  private static let descriptionKeys = [
    "mSampleRate", "mFormatID", "mFormatFlags", "mBytesPerPacket", "mFramesPerPacket",
    "mBytesPerFrame", "mChannelsPerFrame", "mBitsPerChannel", "mReserved",
  ]

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
    let short = keys.first { Self.shortKeys.contains($0.string ?? "") }
    let full = keys.first { Self.descriptionKeys.contains($0.string ?? "") }
    if let short, let full {
      diagnostics.append(.twoForms(short: short, full: full))
      return nil
    }
    return full == nil ? shortFormat(json) : formatDescription(json)
  }

  private mutating func shortFormat(_ json: JSONValue) -> Located<PatchDocument.StreamFormat> {
    var format = PatchDocument.ShortFormat()
    readObject(
      json, "a stream format", keys: Self.shortKeys, required: ["sample", "channels", "sampleRate"]
    ) { reader, key, value in
      switch key {
      case "sample": format.sample = reader.string(value, "'sample'")
      case "channels": format.channels = reader.count(value, "'channels'", from: 1)
      case "sampleRate": format.sampleRate = reader.sampleRate(value, "'sampleRate'")
      default: format.interleaved = reader.bool(value, "'interleaved'")
      }
    }
    return Located(.short(format), at: json)
  }

  private mutating func formatDescription(
    _ json: JSONValue
  ) -> Located<PatchDocument.StreamFormat> {
    var format = PatchDocument.FormatDescription()
    let errors = diagnostics.count
    readObject(json, "a stream format", keys: Self.descriptionKeys) { reader, key, value in
      switch key {
      case "mSampleRate": format.sampleRate = reader.sampleRate(value, "'mSampleRate'")
      case "mFormatID": format.formatID = reader.code(value, "'mFormatID'")
      case "mFormatFlags":
        if [.number, .string, .array].contains(value.kind) {
          format.formatFlags = value
        } else {
          reader.reportType(value, "'mFormatFlags'", "a number or an array of names")
        }
      case "mBytesPerPacket": format.bytesPerPacket = reader.count(value, "'\(key)'")
      case "mFramesPerPacket": format.framesPerPacket = reader.count(value, "'\(key)'")
      case "mBytesPerFrame": format.bytesPerFrame = reader.count(value, "'\(key)'")
      case "mChannelsPerFrame": format.channelsPerFrame = reader.count(value, "'\(key)'")
      case "mReserved": format.reserved = reader.count(value, "'\(key)'")
      default: format.bitsPerChannel = reader.count(value, "'\(key)'")
      }
    }
    format.hasGaps = diagnostics.count > errors
    return Located(.description(format), at: json)
  }

  mutating func sampleRate(
    _ json: JSONValue, _ name: String
  ) -> Located<PatchDocument.SampleRate>? {
    if json.kind == .string {
      if json.string == "session" { return Located(.session, at: json) }
    } else if json.kind == .number, let rate = json.number {
      // Core Audio takes any rate from 0 on; none below 1 Hz can be meant.
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
