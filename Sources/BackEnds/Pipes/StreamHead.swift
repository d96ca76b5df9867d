import AudioTypes

/// The format of a stream's samples, and their length.
struct StreamLayout: Hashable, Sendable {
  enum Sample: Hashable, Sendable {
    case uint8, int16, int24, int32, float32, float64

    var byteCount: Int {
      switch self {
      case .uint8: 1
      case .int16: 2
      case .int24: 3
      case .int32, .float32: 4
      case .float64: 8
      }
    }
  }

  var sample: Sample
  var channelCount: Int
  /// In Hz.
  var sampleRate: Double
  /// The bytes of samples; `nil` where the length is not known.
  var byteCount: Int?

  var bytesPerFrame: Int { sample.byteCount * channelCount }

  /// The layout of a stream without a header, as a user gives it; `nil` without a rate.
  init?(_ format: PipeFormat) {
    guard let rate = format.sampleRate else { return nil }
    switch format.sampleType {
    case .int16: sample = .int16
    case .int24: sample = .int24
    case .int32: sample = .int32
    case .float32: sample = .float32
    case .fixed824: return nil
    }
    channelCount = format.channelCount ?? 2
    sampleRate = rate
  }

  init(sample: Sample, channelCount: Int, sampleRate: Double, byteCount: Int?) {
    self.sample = sample
    self.channelCount = channelCount
    self.sampleRate = sampleRate
    self.byteCount = byteCount
  }

  /// The value of a sample, where 1 is full scale.
  func value(_ bytes: [UInt8], at offset: Int) -> Double {
    // In the highest bytes, so that the sign is in the highest bit.
    var word: UInt64 = 0
    for index in 0..<sample.byteCount {
      word |= UInt64(bytes[offset + index]) << UInt64(64 - 8 * (sample.byteCount - index))
    }
    switch sample {
    case .uint8: return (Double(bytes[offset]) - 128) / 128
    case .int16, .int24, .int32: return Double(Int64(bitPattern: word)) / 0x1p63
    case .float32: return Double(Float(bitPattern: UInt32(word >> 32)))
    case .float64: return Double(bitPattern: word)
    }
  }
}

/// The header of a stream, as far as it has arrived: of a WAV file, or none.
enum StreamHead: Hashable {
  /// More bytes are needed to tell.
  case incomplete
  /// There is none: samples begin with the first byte.
  case none
  /// The header of a WAV file, of so many bytes.
  case wave(StreamLayout, byteCount: Int)
  /// The header of a WAV file with samples that cannot be read, for this reason.
  case unreadable(String)

  /// The longest header, in bytes: chunks with pictures and the like may come before the samples.
  static let limit = 1 << 22

  /// Lengths from here on, in bytes, mean "unknown": a writer to a pipe does not know its length.
  /// ffmpeg writes 0xFFFFFFFF, sox 0x7FFFF000 and more, arecord 0x7FFFFFFF and 0x80000000; some
  /// write 0.
  private static let unknownLength = 0x7FFF_0000

  init(_ bytes: [UInt8]) {
    func text(_ offset: Int) -> String {
      String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
    }
    func number(_ offset: Int, _ width: Int) -> Int {
      (0..<width).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    guard bytes.count >= 12 else {
      let names = [Array("RIFF".utf8), Array("RF64".utf8)]
      let isPossible = names.contains { $0.starts(with: bytes.prefix(4)) }
      self = isPossible ? .incomplete : .none
      return
    }
    guard ["RIFF", "RF64"].contains(text(0)), text(8) == "WAVE" else {
      self = .none
      return
    }
    var layout: StreamLayout?
    var offset = 12
    while bytes.count >= offset + 8 {
      let name = text(offset)
      let size = number(offset + 4, 4)
      offset += 8
      if name == "data" {
        guard var found = layout else {
          self = .unreadable("its samples come before their format")
          return
        }
        found.byteCount = size == 0 || size >= Self.unknownLength ? nil : size
        self = .wave(found, byteCount: offset)
        return
      }
      if name == "fmt " {
        guard bytes.count >= offset + max(16, min(size, 40)) else { break }
        guard size >= 16 else {
          self = .unreadable("its format has \(size) bytes")
          return
        }
        let bits = number(offset + 14, 2)
        var tag = number(offset, 2)
        // WAVE_FORMAT_EXTENSIBLE: the actual format is the beginning of a GUID.
        if tag == 0xFFFE, size >= 26 { tag = number(offset + 24, 2) }
        guard let sample = Self.sample(tag: tag, bits: bits) else {
          self = .unreadable("its samples are of the format \(tag) with \(bits) bits")
          return
        }
        let channels = number(offset + 2, 2)
        let rate = number(offset + 4, 4)
        guard (1...32).contains(channels), (1000...768_000).contains(rate) else {
          self = .unreadable("it has \(channels) channels at \(rate) Hz")
          return
        }
        layout = StreamLayout(
          sample: sample, channelCount: channels, sampleRate: Double(rate), byteCount: nil)
      }
      offset += size + size % 2
      guard offset < Self.limit else {
        self = .unreadable("its head is too long")
        return
      }
    }
    self = .incomplete
  }

  private static func sample(tag: Int, bits: Int) -> StreamLayout.Sample? {
    switch (tag, bits) {
    case (1, 8): .uint8
    case (1, 16): .int16
    case (1, 24): .int24
    case (1, 32): .int32
    case (3, 32): .float32
    case (3, 64): .float64
    default: nil
    }
  }
}
