/// The format of one sample: the types that patchrun's buses can carry.
public enum SampleType: String, CaseIterable, Hashable, Sendable, BitwiseCopyable, SettingWord {
  case float32
  case int16
  case int24
  case int32
  /// Signed fixed point with 24 fraction bits in 32: -128 to just under +128.
  case fixed824 = "fixed8.24"

  /// The number of bits of the value.
  public var bitsPerChannel: Int {
    switch self {
    case .int16: 16
    case .int24: 24
    case .float32, .int32, .fixed824: 32
    }
  }

  /// Whether a `Float` can hold every value. The other types need 32 bits of precision.
  public var fitsFloat: Bool { self == .float32 || self == .int16 || self == .int24 }

  package var summary: String {
    switch self {
    case .float32: "Floating point, 32 bits: what most graphs use."
    case .int16: "Signed integer, 16 bits."
    case .int24: "Signed integer, 24 bits."
    case .int32: "Signed integer, 32 bits."
    case .fixed824: "Fixed point, 8.24 bits: the iPhone's canonical audio unit sample."
    }
  }
}

/// The layout of an audio stream: Core Audio's `AudioStreamBasicDescription`, field for field.
///
/// A field that is zero is unknown or does not apply.
public struct StreamFormat: Hashable, Sendable {
  /// Frames per second; 0 where it is not known yet.
  public var sampleRate: Double
  /// `kAudioFormatLinearPCM` for everything that a bus carries.
  public var formatID: FourCharCode
  /// The layout of the samples.
  public var flags: Flags
  /// The bytes of a packet: those of a frame for linear PCM.
  public var bytesPerPacket: UInt32
  /// The frames of a packet: 1 for linear PCM.
  public var framesPerPacket: UInt32
  /// The bytes of a frame in one buffer: of all channels where they are interleaved, otherwise of
  /// one.
  public var bytesPerFrame: UInt32
  /// The number of channels.
  public var channelsPerFrame: UInt32
  /// The significant bits of a sample.
  public var bitsPerChannel: UInt32
  /// Always 0.
  public var reserved: UInt32

  /// The bits of `mFormatFlags` for linear PCM.
  public struct Flags: OptionSet, Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// `kAudioFormatFlagIsFloat`
    public static let isFloat = Flags(rawValue: 0x1)
    /// `kAudioFormatFlagIsBigEndian`
    public static let isBigEndian = Flags(rawValue: 0x2)
    /// `kAudioFormatFlagIsSignedInteger`
    public static let isSignedInteger = Flags(rawValue: 0x4)
    /// `kAudioFormatFlagIsPacked`: the sample uses all bits of its bytes.
    public static let isPacked = Flags(rawValue: 0x8)
    /// `kAudioFormatFlagIsAlignedHigh`: an unpacked sample is in the high bits of its bytes.
    public static let isAlignedHigh = Flags(rawValue: 0x10)
    /// `kAudioFormatFlagIsNonInterleaved`: each channel has a buffer of its own.
    public static let isNonInterleaved = Flags(rawValue: 0x20)
    /// `kAudioFormatFlagIsNonMixable`
    public static let isNonMixable = Flags(rawValue: 0x40)
    /// `kAudioFormatFlagsAreAllClear`: no flags, where 0 means unknown.
    public static let areAllClear = Flags(rawValue: 0x8000_0000)

    /// The six bits that hold the number of fraction bits of a fixed-point sample.
    public static let fractionMask: UInt32 = 0x1F80
    /// The shift of the number of fraction bits: `kLinearPCMFormatFlagsSampleFractionShift`.
    public static let fractionShift: UInt32 = 7

    /// The fraction bits of a fixed-point sample; 0 for any other.
    public var fractionBits: UInt32 { (rawValue & Self.fractionMask) >> Self.fractionShift }

    /// `kAudioFormatFlagsCanonical` of the iPhone: packed signed integer.
    public static let canonical = Flags(rawValue: 0xC)
    /// `kAudioFormatFlagsAudioUnitCanonical` of the iPhone: 8.24 fixed point, one buffer for each
    /// channel.
    public static let audioUnitCanonical = Flags(rawValue: 0xC2C)
    /// `kAudioFormatFlagsNativeFloatPacked`.
    public static let nativeFloatPacked = Flags(rawValue: 0x9)
  }

  public init(
    sampleRate: Double, formatID: FourCharCode, flags: Flags, bytesPerPacket: UInt32,
    framesPerPacket: UInt32, bytesPerFrame: UInt32, channelsPerFrame: UInt32,
    bitsPerChannel: UInt32, reserved: UInt32 = 0
  ) {
    self.sampleRate = sampleRate
    self.formatID = formatID
    self.flags = flags
    self.bytesPerPacket = bytesPerPacket
    self.framesPerPacket = framesPerPacket
    self.bytesPerFrame = bytesPerFrame
    self.channelsPerFrame = channelsPerFrame
    self.bitsPerChannel = bitsPerChannel
    self.reserved = reserved
  }

  /// Linear PCM, as in the short form of a patch. 24-bit samples are packed in three bytes.
  public init(
    _ sample: SampleType, channels: Int, sampleRate: Double, interleaved: Bool = false
  ) {
    precondition(channels > 0 && channels <= 1024, "a stream has 1 to 1024 channels")
    var flags: Flags = sample == .float32 ? [.isFloat, .isPacked] : [.isSignedInteger, .isPacked]
    if sample == .fixed824 { flags.rawValue |= 24 << Flags.fractionShift }
    if !interleaved { flags.insert(.isNonInterleaved) }
    let word = UInt32(sample.bitsPerChannel / 8)
    let bytes = interleaved ? word * UInt32(channels) : word
    self.init(
      sampleRate: sampleRate, formatID: .linearPCM, flags: flags, bytesPerPacket: bytes,
      framesPerPacket: 1, bytesPerFrame: bytes, channelsPerFrame: UInt32(channels),
      bitsPerChannel: UInt32(sample.bitsPerChannel))
  }

  /// The iPhone's canonical format for input and output: packed 16-bit integers.
  public static func canonical(
    channels: Int, sampleRate: Double, interleaved: Bool = true
  ) -> StreamFormat {
    StreamFormat(.int16, channels: channels, sampleRate: sampleRate, interleaved: interleaved)
  }

  /// The iPhone's canonical format for audio units: 8.24 fixed point, one buffer for each channel.
  public static func audioUnitCanonical(channels: Int, sampleRate: Double) -> StreamFormat {
    StreamFormat(.fixed824, channels: channels, sampleRate: sampleRate)
  }

  /// The canonical format of this platform: 32-bit float, one buffer for each channel.
  public static func platformCanonical(channels: Int, sampleRate: Double) -> StreamFormat {
    StreamFormat(.float32, channels: channels, sampleRate: sampleRate)
  }
}

extension FourCharCode {
  /// `kAudioFormatLinearPCM`
  public static let linearPCM: FourCharCode = "lpcm"
  /// `kAudioFormatAppleLossless`
  public static let appleLossless: FourCharCode = "alac"
}

// MARK: - Reading a format

extension StreamFormat {
  /// Whether samples are uncompressed numbers.
  public var isLinearPCM: Bool { formatID == .linearPCM }
  /// Whether all channels share one buffer.
  public var isInterleaved: Bool { !flags.contains(.isNonInterleaved) }
  /// The number of channels.
  public var channelCount: Int { Int(channelsPerFrame) }

  /// The bytes of a sample, with padding; 0 where the fields do not tell.
  public var bytesPerSample: Int {
    guard isInterleaved else { return Int(bytesPerFrame) }
    return channelsPerFrame == 0 ? 0 : Int(bytesPerFrame / channelsPerFrame)
  }

  /// The number of buffers: one if interleaved, otherwise one for each channel.
  public var bufferCount: Int { isInterleaved ? 1 : channelCount }

  /// The sample type, where a bus can carry it: native-endian, packed (24 bits may also be in four
  /// bytes) and consistent; `nil` otherwise.
  public var sampleType: SampleType? {
    guard isLinearPCM, !flags.contains(.isBigEndian) else { return nil }
    let word = bytesPerSample
    if flags.contains(.isFloat) {
      return bitsPerChannel == 32 && word == 4 && flags.fractionBits == 0 ? .float32 : nil
    }
    guard flags.contains(.isSignedInteger) else { return nil }
    switch (bitsPerChannel, word, flags.fractionBits) {
    case (16, 2, 0): return .int16
    case (24, 3, 0), (24, 4, 0): return .int24
    case (32, 4, 0): return .int32
    case (32, 4, 24): return .fixed824
    default: return nil
    }
  }

  /// The format at another rate.
  public func with(sampleRate: Double) -> StreamFormat {
    var copy = self
    copy.sampleRate = sampleRate
    return copy
  }

  /// The format with another number of channels; frame and packet sizes follow.
  public func with(channels: Int) -> StreamFormat {
    precondition(channels > 0 && channels <= 1024, "a stream has 1 to 1024 channels")
    var copy = self
    // The bytes of a sample or, where the format does not tell, its bits in whole bytes.
    let word = bytesPerSample > 0 ? UInt32(bytesPerSample) : (bitsPerChannel + 7) / 8
    copy.channelsPerFrame = UInt32(channels)
    copy.bytesPerFrame = isInterleaved ? word * UInt32(channels) : word
    if isLinearPCM {
      copy.framesPerPacket = 1
      copy.bytesPerPacket = copy.bytesPerFrame
    }
    return copy
  }

  /// Whether two formats are equal, as `CAStreamBasicDescription` compares them: a field that is 0
  /// on either side matches anything, and flags without effect are ignored.
  public func matches(_ other: StreamFormat) -> Bool {
    func agree<T: Numeric & Equatable>(_ left: T, _ right: T) -> Bool {
      left == 0 || right == 0 || left == right
    }
    return agree(sampleRate, other.sampleRate)
      && agree(formatID.rawValue, other.formatID.rawValue)
      && agree(bytesPerPacket, other.bytesPerPacket)
      && agree(framesPerPacket, other.framesPerPacket)
      && agree(bytesPerFrame, other.bytesPerFrame)
      && agree(channelsPerFrame, other.channelsPerFrame)
      && agree(bitsPerChannel, other.bitsPerChannel)
      // Flags of 0 match anything; `areAllClear` does not.
      && (flags.rawValue == 0 || other.flags.rawValue == 0
        || significantFlags(beside: other) == other.significantFlags(beside: self))
  }

  private func significantFlags(beside other: StreamFormat) -> UInt32 {
    guard isLinearPCM || other.isLinearPCM else { return flags.rawValue }
    var flags = self.flags
    flags.remove(.areAllClear)
    let bothPacked = flags.contains(.isPacked) && other.flags.contains(.isPacked)
    if bothPacked { flags.remove(.isAlignedHigh) }
    if flags.contains(.isFloat) && other.flags.contains(.isFloat) {
      flags.remove(.isSignedInteger)
    }
    if bitsPerChannel <= 8 && flags.contains(.isPacked) { flags.remove(.isBigEndian) }
    if channelsPerFrame == 1 && other.channelsPerFrame == 1 { flags.remove(.isNonInterleaved) }
    return flags.rawValue
  }
}
