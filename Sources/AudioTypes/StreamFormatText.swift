extension StreamFormat: CustomStringConvertible {
  /// The format as Core Audio's classic tools print it: ` 2 ch, 44100 Hz, 'lpcm' (0x00000029)
  /// 32-bit little-endian float, deinterleaved`.
  public var description: String {
    let rate = sampleRate.isFinite ? Int(exactly: sampleRate.rounded(.toNearestOrEven)) ?? 0 : 0
    let head =
      padded(String(channelsPerFrame), 2) + " ch, " + padded(String(rate), 6) + " Hz, "
      + "\(formatID) (0x\(hexadecimal(flags.rawValue))) "
    if formatID == .appleLossless {
      let source = [1: "16", 2: "20", 3: "24", 4: "32"][flags.rawValue].map { "\($0)-bit source" }
      return head + "from \(source ?? "unknown source"), \(framesPerPacket) frames/packet"
    }
    guard isLinearPCM else {
      return head
        + "\(bitsPerChannel) bits/channel, \(bytesPerPacket) bytes/packet, "
        + "\(framesPerPacket) frames/packet, \(bytesPerFrame) bytes/frame"
    }
    return head + sampleText
  }

  private var sampleText: String {
    let word = bytesPerSample
    let fraction = flags.contains(.isFloat) ? 0 : flags.fractionBits
    let bits =
      fraction > 0
      ? "\(Int(bitsPerChannel) - Int(fraction)).\(fraction)" : String(bitsPerChannel)
    let endian = word <= 1 ? "" : flags.contains(.isBigEndian) ? " big-endian" : " little-endian"
    let sign =
      flags.contains(.isFloat)
      ? "" : flags.contains(.isSignedInteger) ? " signed" : " unsigned"
    let kind = flags.contains(.isFloat) ? " float" : " integer"
    var text = "\(bits)-bit\(endian)\(sign)\(kind)"
    // Packing is only worth mentioning where the bits do not fill whole bytes.
    let isOdd = word > 0 && word * 8 != Int(bitsPerChannel)
    if isOdd {
      text +=
        flags.contains(.isPacked) ? ", packed in \(word) bytes" : ", unpacked in \(word) bytes"
      text += flags.contains(.isAlignedHigh) ? " high-aligned" : " low-aligned"
    }
    return isInterleaved ? text : text + ", deinterleaved"
  }

  /// The format in a few words, for diagnostics and labels: `2 ch, 44100 Hz, float32`.
  public var summary: String {
    let sample =
      sampleType?.rawValue ?? (isLinearPCM ? "\(bitsPerChannel)-bit PCM" : "\(formatID)")
    return "\(channelsPerFrame) ch, \(rateText(sampleRate)) Hz, \(sample)"
      + (isInterleaved && channelsPerFrame > 1 ? ", interleaved" : "")
  }
}

/// A rate without a zero fraction: `44100`, `22050.5`.
public func rateText(_ rate: Double) -> String {
  Int(exactly: rate).map(String.init) ?? "\(rate)"
}

/// A number as text, without a decimal point where it is whole.
public func plain(_ value: Float) -> String { rateText(value.decimal) }

/// A hint for a rate that was probably meant in kilohertz: above 0 and below 1000 Hz, at which no
/// bus runs. `nil` for any other rate.
public func hertzHelp(_ rate: Double) -> String? {
  guard rate > 0, rate < 1000 else { return nil }
  return "rates are in hertz: \(rateText((rate * 1000).rounded())) was meant?"
}

private func padded(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}
