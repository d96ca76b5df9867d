/// A contradiction between the fields of a stream format.
public enum FormatInconsistency: Hashable, Sendable {
  case sampleRateOutOfRange
  case fieldTooLarge(field: String, limit: Int)
  case noFormatID
  case notLinearPCM
  case noChannels
  case framesPerPacket(found: UInt32)
  case bytesPerPacket(found: UInt32, expected: UInt32)
  case frameNotDivisible(bytesPerFrame: UInt32, channels: UInt32)
  case bytesPerFrame(found: UInt32, expected: UInt32)
  case wordTooSmall(bytes: Int, bits: UInt32)
  case packedButPadded(bytes: Int, bits: UInt32)
  case floatAndSignedInteger
  case floatWithFraction(bits: UInt32)
  case floatSize(bits: UInt32, bytes: Int)
  case fractionOfUnsigned
  case fractionTooLong(fraction: UInt32, bits: UInt32)
  case unsignedInteger(bits: UInt32)
  case nonMixable
  case bigEndian
  case reservedNotZero
}

extension StreamFormat {
  /// Whether it is within Core Audio's general limits. A rate of 0, "not set yet", is.
  public var isSane: Bool { !inconsistencies.contains(where: \.isInsane) }

  /// All contradictions in the format, in the order in which a bus checks them. Empty for a format
  /// that a bus of some unit could carry.
  public var inconsistencies: [FormatInconsistency] {
    var found: [FormatInconsistency] = []
    if !(sampleRate >= 0 && sampleRate < 3e6) { found.append(.sampleRateOutOfRange) }
    func check(_ field: String, _ value: UInt32, upTo limit: Int) {
      if value > limit { found.append(.fieldTooLarge(field: field, limit: limit)) }
    }
    check("mBytesPerPacket", bytesPerPacket, upTo: 999_999)
    check("mFramesPerPacket", framesPerPacket, upTo: 999_999)
    check("mBytesPerFrame", bytesPerFrame, upTo: 999_999)
    check("mChannelsPerFrame", channelsPerFrame, upTo: 1024)
    check("mBitsPerChannel", bitsPerChannel, upTo: 1024)
    if formatID.rawValue == 0 { found.append(.noFormatID) }
    guard found.isEmpty else { return found }
    guard isLinearPCM else { return [.notLinearPCM] }
    if channelsPerFrame == 0 { found.append(.noChannels) }
    if framesPerPacket != 1 {
      found.append(.framesPerPacket(found: framesPerPacket))
    } else if bytesPerPacket != bytesPerFrame {
      found.append(.bytesPerPacket(found: bytesPerPacket, expected: bytesPerFrame))
    }
    if reserved != 0 { found.append(.reservedNotZero) }
    guard channelsPerFrame > 0 else { return found }
    if isInterleaved && bytesPerFrame % channelsPerFrame != 0 {
      let expected = (bitsPerChannel + 7) / 8 * channelsPerFrame
      found.append(
        bytesPerFrame < expected
          ? .bytesPerFrame(found: bytesPerFrame, expected: expected)
          : .frameNotDivisible(bytesPerFrame: bytesPerFrame, channels: channelsPerFrame))
      return found
    }
    found += wordInconsistencies
    if flags.contains(.isNonMixable) { found.append(.nonMixable) }
    if flags.contains(.isBigEndian) && bytesPerSample > 1 { found.append(.bigEndian) }
    return found
  }

  private var wordInconsistencies: [FormatInconsistency] {
    var found: [FormatInconsistency] = []
    let word = bytesPerSample
    if word * 8 < Int(bitsPerChannel) || word == 0 {
      let perChannel = (bitsPerChannel + 7) / 8
      // The most common mistake: the bytes of all channels where each has a buffer of its own, or
      // of one channel where they share a buffer.
      found.append(
        isInterleaved && channelsPerFrame > 1 && bytesPerFrame == perChannel
          ? .bytesPerFrame(found: bytesPerFrame, expected: perChannel * channelsPerFrame)
          : .wordTooSmall(bytes: word, bits: bitsPerChannel))
    } else if word * 8 > Int(bitsPerChannel) && flags.contains(.isPacked) {
      let perChannel = (bitsPerChannel + 7) / 8
      found.append(
        !isInterleaved && bytesPerFrame == perChannel * channelsPerFrame
          ? .bytesPerFrame(found: bytesPerFrame, expected: perChannel)
          : .packedButPadded(bytes: word, bits: bitsPerChannel))
    }
    if flags.contains(.isFloat) {
      if flags.contains(.isSignedInteger) { found.append(.floatAndSignedInteger) }
      if flags.fractionBits != 0 { found.append(.floatWithFraction(bits: flags.fractionBits)) }
      if found.isEmpty && !(bitsPerChannel == 32 && word == 4 || bitsPerChannel == 64 && word == 8)
      {
        found.append(.floatSize(bits: bitsPerChannel, bytes: word))
      }
    } else {
      if flags.fractionBits != 0 && !flags.contains(.isSignedInteger) {
        found.append(.fractionOfUnsigned)
      } else if !flags.contains(.isSignedInteger) && bitsPerChannel > 8 {
        found.append(.unsignedInteger(bits: bitsPerChannel))
      }
      if flags.fractionBits > bitsPerChannel {
        found.append(.fractionTooLong(fraction: flags.fractionBits, bits: bitsPerChannel))
      }
    }
    return found
  }
}

extension FormatInconsistency {
  /// Whether the format is outside Core Audio's general limits, which are checked before those of
  /// any unit.
  public var isInsane: Bool {
    switch self {
    case .sampleRateOutOfRange, .fieldTooLarge, .noFormatID, .framesPerPacket, .bytesPerPacket:
      true
    default: false
    }
  }

  /// The field of `AudioStreamBasicDescription` with the contradiction: `mSampleRate`.
  public var field: String {
    switch self {
    case .sampleRateOutOfRange: "mSampleRate"
    case .fieldTooLarge(let field, _): field
    case .noFormatID, .notLinearPCM: "mFormatID"
    case .noChannels: "mChannelsPerFrame"
    case .framesPerPacket: "mFramesPerPacket"
    case .bytesPerPacket: "mBytesPerPacket"
    case .frameNotDivisible, .bytesPerFrame, .wordTooSmall: "mBytesPerFrame"
    case .floatSize, .packedButPadded(_, bits: 0): "mBitsPerChannel"
    case .packedButPadded, .floatAndSignedInteger, .floatWithFraction, .fractionOfUnsigned,
      .fractionTooLong, .unsignedInteger, .nonMixable, .bigEndian:
      "mFormatFlags"
    case .reservedNotZero: "mReserved"
    }
  }
}

extension FormatInconsistency: CustomStringConvertible {
  public var description: String {
    switch self {
    case .sampleRateOutOfRange: "a sample rate is at least 0 and under 3,000,000 Hz"
    case .fieldTooLarge(let field, let limit): "\(field) is at most \(limit)"
    case .noFormatID: "mFormatID is zero; linear PCM is 'lpcm'"
    case .notLinearPCM: "a bus carries linear PCM ('lpcm') only"
    case .noChannels: "mChannelsPerFrame is zero"
    case .framesPerPacket(let found):
      "mFramesPerPacket is \(found); in linear PCM a packet is one frame"
    case .bytesPerPacket(let found, let expected):
      "mBytesPerPacket is \(found) and mBytesPerFrame \(expected); in linear PCM they are equal"
    case .frameNotDivisible(let bytes, let channels):
      "mBytesPerFrame (\(bytes)) does not divide by the \(channels) interleaved channels"
    case .bytesPerFrame(let found, let expected):
      "mBytesPerFrame is \(found); with these bits, channels and flags it is \(expected)"
    case .wordTooSmall(let bytes, let bits):
      "\(bits) bits per channel do not fit the \(bytes) bytes that a sample has"
    case .packedButPadded(_, bits: 0): "mBitsPerChannel is zero"
    case .packedButPadded(let bytes, let bits):
      "the flags say packed, but \(bits) bits stand in \(bytes) bytes"
    case .floatAndSignedInteger: "the flags say both float and signed integer"
    case .floatWithFraction(let bits): "a float sample has no fraction bits; the flags say \(bits)"
    case .floatSize(let bits, let bytes):
      "a float sample has 32 bits in 4 bytes or 64 in 8, not \(bits) in \(bytes)"
    case .fractionOfUnsigned: "a fixed-point sample is signed; the signed-integer flag is missing"
    case .fractionTooLong(let fraction, let bits):
      "the flags say \(fraction) fraction bits of a sample of \(bits)"
    case .unsignedInteger(let bits):
      "unsigned samples have 8 bits; with \(bits) bits the signed-integer flag (0x4) is missing"
    case .nonMixable: "the non-mixable flag (0x40) belongs to hardware formats, not to a bus"
    case .bigEndian: "the samples are big-endian; a bus carries native-endian samples"
    case .reservedNotZero: "mReserved is not zero"
    }
  }
}
