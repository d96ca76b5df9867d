import AudioTypes
import Testing

struct StreamFormatTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var sample: SampleType
    var channels: Int
    var interleaved: Bool
    var flags: UInt32
    var bits: UInt32
    var bytesPerFrame: UInt32
    var testDescription: String { "\(channels) \(sample) \(interleaved ? "inter" : "deinter")" }
  }

  // The fields that Core Audio's helper fills in: flags, bits, and bytes per frame.
  static let cases = [
    Case(
      sample: .float32, channels: 2, interleaved: false, flags: 0x29, bits: 32, bytesPerFrame: 4),
    Case(
      sample: .float32, channels: 2, interleaved: true, flags: 0x9, bits: 32, bytesPerFrame: 8),
    Case(
      sample: .int16, channels: 2, interleaved: true, flags: 0xC, bits: 16, bytesPerFrame: 4),
    Case(
      sample: .int16, channels: 1, interleaved: false, flags: 0x2C, bits: 16, bytesPerFrame: 2),
    Case(
      sample: .int24, channels: 2, interleaved: true, flags: 0xC, bits: 24, bytesPerFrame: 6),
    Case(
      sample: .int32, channels: 3, interleaved: true, flags: 0xC, bits: 32, bytesPerFrame: 12),
    Case(
      sample: .fixed824, channels: 2, interleaved: false, flags: 0xC2C, bits: 32,
      bytesPerFrame: 4),
    Case(
      sample: .fixed824, channels: 2, interleaved: true, flags: 0xC0C, bits: 32,
      bytesPerFrame: 8),
  ]

  @Test(arguments: cases)
  func `a short form fills every field as Core Audio's helper does`(_ wanted: Case) {
    let format = StreamFormat(
      wanted.sample, channels: wanted.channels, sampleRate: 44_100,
      interleaved: wanted.interleaved)
    #expect(format.sampleRate == 44_100)
    #expect(format.formatID.rawValue == 1_819_304_813)
    #expect(format.flags.rawValue == wanted.flags)
    #expect(format.bytesPerPacket == wanted.bytesPerFrame)
    #expect(format.framesPerPacket == 1)
    #expect(format.bytesPerFrame == wanted.bytesPerFrame)
    #expect(format.channelsPerFrame == UInt32(wanted.channels))
    #expect(format.bitsPerChannel == wanted.bits)
    #expect(format.reserved == 0)
    #expect(format.inconsistencies == [])
    #expect(format.isSane)
    #expect(format.sampleType == wanted.sample)
    #expect(format.isInterleaved == wanted.interleaved)
    #expect(format.bufferCount == (wanted.interleaved ? 1 : wanted.channels))
    #expect(format.bytesPerSample == Int(wanted.bits / 8))
  }

  @Test func `the canonical formats have Core Audio's flags`() {
    #expect(StreamFormat.canonical(channels: 2, sampleRate: 44_100).flags == .canonical)
    #expect(
      StreamFormat.canonical(channels: 2, sampleRate: 44_100, interleaved: false).flags.rawValue
        == 0x2C)
    #expect(
      StreamFormat.audioUnitCanonical(channels: 2, sampleRate: 44_100).flags
        == .audioUnitCanonical)
    #expect(
      StreamFormat.platformCanonical(channels: 2, sampleRate: 44_100).flags
        == [.nativeFloatPacked, .isNonInterleaved])
    #expect(StreamFormat.Flags.canonical.rawValue == 12)
    #expect(StreamFormat.Flags.audioUnitCanonical.rawValue == 3116)
    #expect(StreamFormat.Flags.audioUnitCanonical.fractionBits == 24)
    #expect(StreamFormat.Flags.nativeFloatPacked.rawValue == 9)
  }

  @Test func `only what needs 32 bits of precision is not a float`() {
    #expect(SampleType.allCases.filter(\.fitsFloat) == [.float32, .int16, .int24])
    #expect(
      SampleType.allCases.map(\.rawValue) == [
        "float32", "int16", "int24", "int32", "fixed8.24",
      ])
  }

  @Test func `another number of channels gives another frame`() {
    let interleaved = StreamFormat(.int24, channels: 2, sampleRate: 48_000, interleaved: true)
    #expect(
      interleaved.with(channels: 5)
        == StreamFormat(.int24, channels: 5, sampleRate: 48_000, interleaved: true))
    let apart = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
    #expect(apart.with(channels: 1) == StreamFormat(.float32, channels: 1, sampleRate: 48_000))
    #expect(apart.with(sampleRate: 1).sampleRate == 1)
    // Without bytes per frame, the word size is the bits rounded up to whole bytes.
    var bare = interleaved
    bare.bytesPerFrame = 0
    bare.bytesPerPacket = 0
    bare.channelsPerFrame = 0
    #expect(bare.with(channels: 2) == interleaved)
  }

  // MARK: The format line of Core Audio's tools

  @Test func `the classic lines of public reports are printed to the letter`() {
    #expect(
      "\(StreamFormat.audioUnitCanonical(channels: 2, sampleRate: 44_100))"
        == " 2 ch,  44100 Hz, 'lpcm' (0x00000C2C) 8.24-bit little-endian signed integer, deinterleaved"
    )
    #expect(
      "\(StreamFormat(.float32, channels: 2, sampleRate: 44_100))"
        == " 2 ch,  44100 Hz, 'lpcm' (0x00000029) 32-bit little-endian float, deinterleaved")
    #expect(
      "\(StreamFormat.canonical(channels: 1, sampleRate: 44_100))"
        == " 1 ch,  44100 Hz, 'lpcm' (0x0000000C) 16-bit little-endian signed integer")
  }

  @Test func `what is packed, big-endian, unsigned or not PCM says so`() {
    var format = StreamFormat(.int24, channels: 2, sampleRate: 96_000, interleaved: true)
    #expect(
      "\(format)" == " 2 ch,  96000 Hz, 'lpcm' (0x0000000C) 24-bit little-endian signed integer")
    format.bytesPerFrame = 8
    format.bytesPerPacket = 8
    format.flags = [.isSignedInteger]
    #expect(
      "\(format)"
        == " 2 ch,  96000 Hz, 'lpcm' (0x00000004) 24-bit little-endian signed integer, "
        + "unpacked in 4 bytes low-aligned")
    format.flags = [.isSignedInteger, .isAlignedHigh]
    #expect(format.description.hasSuffix(", unpacked in 4 bytes high-aligned"))
    #expect(format.inconsistencies == [])
    #expect(format.sampleType == .int24)

    format = .canonical(channels: 1, sampleRate: 8000)
    format.flags.insert(.isBigEndian)
    #expect("\(format)" == " 1 ch,   8000 Hz, 'lpcm' (0x0000000E) 16-bit big-endian signed integer")
    format.flags = [.isPacked]
    format.bytesPerFrame = 1
    format.bytesPerPacket = 1
    format.bitsPerChannel = 8
    #expect("\(format)" == " 1 ch,   8000 Hz, 'lpcm' (0x00000008) 8-bit unsigned integer")
    format = StreamFormat(
      sampleRate: 44_100, formatID: "aac ", flags: [], bytesPerPacket: 0, framesPerPacket: 1024,
      bytesPerFrame: 0, channelsPerFrame: 2, bitsPerChannel: 0)
    #expect(
      "\(format)"
        == " 2 ch,  44100 Hz, 'aac ' (0x00000000) 0 bits/channel, 0 bytes/packet, "
        + "1024 frames/packet, 0 bytes/frame")
    format.formatID = .appleLossless
    format.flags = StreamFormat.Flags(rawValue: 3)
    format.framesPerPacket = 4096
    #expect(
      "\(format)"
        == " 2 ch,  44100 Hz, 'alac' (0x00000003) from 24-bit source, 4096 frames/packet")
    format.formatID = FourCharCode(rawValue: 1)
    #expect("\(format)".contains(" Hz, 0x00000001 (0x"))
  }

  @Test func `rates print without decimals, and strange ones do not stop the print`() {
    var format = StreamFormat(.float32, channels: 1, sampleRate: 22_050.5)
    #expect("\(format)".hasPrefix(" 1 ch,  22050 Hz, "))
    format.sampleRate = .infinity
    #expect("\(format)".hasPrefix(" 1 ch,      0 Hz, "))
    format.sampleRate = 1_000_000_000
    #expect("\(format)".hasPrefix(" 1 ch, 1000000000 Hz, "))
  }

  @Test func `a summary is a few words`() {
    #expect(
      StreamFormat(.float32, channels: 2, sampleRate: 44_100).summary == "2 ch, 44100 Hz, float32")
    #expect(
      StreamFormat.canonical(channels: 2, sampleRate: 22_050.5).summary
        == "2 ch, 22050.5 Hz, int16, interleaved")
  }

  // MARK: Contradictions

  struct Slip: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var base: StreamFormat
    var mutate: @Sendable (inout StreamFormat) -> Void
    var expected: [FormatInconsistency]
    var isSane = false
  }

  static let float = StreamFormat(.float32, channels: 2, sampleRate: 48_000)
  static let int16 = StreamFormat(.int16, channels: 2, sampleRate: 48_000, interleaved: true)
  static let fixed = StreamFormat(.fixed824, channels: 2, sampleRate: 48_000)

  static let slips: [Slip] = [
    Slip(
      testDescription: "rate below 0", base: float, mutate: { $0.sampleRate = -1 },
      expected: [.sampleRateOutOfRange]),
    Slip(
      testDescription: "rate of 3 MHz", base: float, mutate: { $0.sampleRate = 3e6 },
      expected: [.sampleRateOutOfRange]),
    Slip(
      testDescription: "rate not a number", base: float, mutate: { $0.sampleRate = .nan },
      expected: [.sampleRateOutOfRange]),
    Slip(
      testDescription: "bytes per packet", base: float, mutate: { $0.bytesPerPacket = 1_000_000 },
      expected: [.fieldTooLarge(field: "mBytesPerPacket", limit: 999_999)]),
    Slip(
      testDescription: "channels", base: float, mutate: { $0.channelsPerFrame = 1025 },
      expected: [.fieldTooLarge(field: "mChannelsPerFrame", limit: 1024)]),
    Slip(
      testDescription: "bits", base: float, mutate: { $0.bitsPerChannel = 1025 },
      expected: [.fieldTooLarge(field: "mBitsPerChannel", limit: 1024)]),
    Slip(
      testDescription: "no id", base: float, mutate: { $0.formatID = FourCharCode(rawValue: 0) },
      expected: [.noFormatID]),
    Slip(
      testDescription: "another id", base: float, mutate: { $0.formatID = "aac " },
      expected: [.notLinearPCM], isSane: true),
    Slip(
      testDescription: "no channels", base: float, mutate: { $0.channelsPerFrame = 0 },
      expected: [.noChannels], isSane: true),
    Slip(
      testDescription: "two frames a packet", base: float, mutate: { $0.framesPerPacket = 2 },
      expected: [.framesPerPacket(found: 2)]),
    Slip(
      testDescription: "packet is not frame", base: float, mutate: { $0.bytesPerPacket = 8 },
      expected: [.bytesPerPacket(found: 8, expected: 4)]),
    Slip(
      testDescription: "frame does not divide", base: int16.with(channels: 3),
      mutate: {
        $0.bytesPerFrame = 7
        $0.bytesPerPacket = 7
      }, expected: [.frameNotDivisible(bytesPerFrame: 7, channels: 3)], isSane: true),
    Slip(
      testDescription: "channels edited alone", base: int16,
      mutate: {
        $0.bytesPerFrame = 2
        $0.bytesPerPacket = 2
      }, expected: [.bytesPerFrame(found: 2, expected: 4)], isSane: true),
    Slip(
      testDescription: "deinterleaved, channels counted", base: float,
      mutate: {
        $0.bytesPerFrame = 8
        $0.bytesPerPacket = 8
      }, expected: [.bytesPerFrame(found: 8, expected: 4)], isSane: true),
    Slip(
      testDescription: "word too small", base: fixed,
      mutate: {
        $0.bytesPerFrame = 2
        $0.bytesPerPacket = 2
      }, expected: [.wordTooSmall(bytes: 2, bits: 32)], isSane: true),
    Slip(
      testDescription: "packed but padded", base: fixed, mutate: { $0.bitsPerChannel = 24 },
      expected: [.packedButPadded(bytes: 4, bits: 24)], isSane: true),
    Slip(
      testDescription: "float and signed", base: float,
      mutate: { $0.flags.insert(.isSignedInteger) },
      expected: [.floatAndSignedInteger], isSane: true),
    Slip(
      testDescription: "float with fraction", base: float,
      mutate: { $0.flags.rawValue |= 24 << 7 },
      expected: [.floatWithFraction(bits: 24)], isSane: true),
    Slip(
      testDescription: "float of 16 bits", base: float,
      mutate: {
        $0.bitsPerChannel = 16
        $0.bytesPerFrame = 2
        $0.bytesPerPacket = 2
      }, expected: [.floatSize(bits: 16, bytes: 2)], isSane: true),
    Slip(
      testDescription: "unsigned with fraction", base: fixed,
      mutate: { $0.flags.remove(.isSignedInteger) },
      expected: [.fractionOfUnsigned], isSane: true),
    Slip(
      testDescription: "fraction too long", base: int16,
      mutate: { $0.flags.rawValue |= 24 << 7 },
      expected: [.fractionTooLong(fraction: 24, bits: 16)], isSane: true),
    Slip(
      testDescription: "unsigned 16 bits", base: int16,
      mutate: { $0.flags.remove(.isSignedInteger) },
      expected: [.unsignedInteger(bits: 16)], isSane: true),
    Slip(
      testDescription: "not mixable", base: float, mutate: { $0.flags.insert(.isNonMixable) },
      expected: [.nonMixable], isSane: true),
    Slip(
      testDescription: "big-endian", base: int16, mutate: { $0.flags.insert(.isBigEndian) },
      expected: [.bigEndian], isSane: true),
    Slip(
      testDescription: "reserved", base: float, mutate: { $0.reserved = 1 },
      expected: [.reservedNotZero], isSane: true),
  ]

  @Test(arguments: slips)
  func `one slip in a good format is named, and nothing else is`(_ slip: Slip) {
    var format = slip.base
    #expect(format.inconsistencies == [])
    slip.mutate(&format)
    #expect(format.inconsistencies == slip.expected)
    #expect(format.isSane == slip.isSane)
    for found in format.inconsistencies {
      #expect(found.field.hasPrefix("m"))
      #expect(!found.description.isEmpty)
    }
  }

  @Test func `every contradiction has a slip that shows it`() {
    // Compares the names of the cases, without associated values.
    func name(_ found: FormatInconsistency) -> String {
      Mirror(reflecting: found).children.first?.label ?? found.description
    }
    let tripped = Set(Self.slips.flatMap(\.expected).map(name))
    #expect(tripped.count == 20)
  }

  @Test func `a rate of 0 is not known yet, and sane`() {
    #expect(Self.float.with(sampleRate: 0).inconsistencies == [])
    #expect(Self.float.with(sampleRate: 0).isSane)
  }

  @Test func `a float of 64 bits is consistent, but no bus carries it`() {
    var format = Self.float
    format.bitsPerChannel = 64
    format.bytesPerFrame = 8
    format.bytesPerPacket = 8
    #expect(format.inconsistencies == [])
    #expect(format.sampleType == nil)
  }

  // MARK: Wildcards

  @Test func `a zero on either side matches anything`() {
    let nothing = StreamFormat(
      sampleRate: 0, formatID: FourCharCode(rawValue: 0), flags: [], bytesPerPacket: 0,
      framesPerPacket: 0, bytesPerFrame: 0, channelsPerFrame: 0, bitsPerChannel: 0)
    for format in [Self.float, Self.int16, Self.fixed] {
      #expect(format.matches(nothing))
      #expect(nothing.matches(format))
      #expect(format.matches(format))
      #expect(format.matches(format.with(sampleRate: 0)))
      #expect(!format.matches(format.with(sampleRate: 44_100)))
    }
    #expect(!Self.float.matches(Self.fixed))
    #expect(!Self.int16.matches(Self.int16.with(channels: 1)))
  }

  @Test func `flags that make no difference are not compared`() {
    var other = Self.float
    other.flags.formUnion([.isSignedInteger, .isAlignedHigh, .areAllClear])
    #expect(Self.float.matches(other))
    let mono = Self.float.with(channels: 1)
    other = mono
    other.flags.remove(.isNonInterleaved)
    #expect(mono.matches(other))
    other = Self.float
    other.flags.remove(.isNonInterleaved)
    #expect(!Self.float.matches(other))
    other = Self.int16
    other.flags.insert(.isBigEndian)
    #expect(!Self.int16.matches(other))
    // "All clear" means that there are no flags; it is not a wildcard.
    other.flags = .areAllClear
    #expect(!Self.int16.matches(other))
  }
}
