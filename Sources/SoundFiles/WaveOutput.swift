import AudioTypes
import FileAccess
import Glibc

/// The bytes of a WAV file on their way to a descriptor.
///
/// The header is written anew after each stretch of frames, once those are in the file, so that the
/// file is whole whenever the process ends. Room for 64-bit sizes is kept in a `JUNK` chunk: a file
/// that outgrows 32 bits becomes RF64 (EBU Tech 3306) without moving a byte. What cannot be wound
/// back, a pipe, gets sizes of 0xFFFFFFFF: "as long as it lasts".
@safe
final class WaveOutput {
  let descriptor: Int32
  let isSeekable: Bool
  let sampleType: FileSampleType
  let channelCount: Int
  let sampleRate: Int
  private let limit: UInt64
  private var dataBytes: UInt64 = 0
  private var bytes: [UInt8] = []

  /// - Parameters:
  ///   - descriptor: Is closed by `close`.
  ///   - limit: The size above which the file becomes RF64.
  init(
    descriptor: Int32, isSeekable: Bool, sampleType: FileSampleType, channelCount: Int,
    sampleRate: Int, limit: UInt64
  ) throws(SystemFailure) {
    self.descriptor = descriptor
    self.isSeekable = isSeekable
    self.sampleType = sampleType
    self.channelCount = channelCount
    self.sampleRate = sampleRate
    self.limit = limit
    try append(header, count: header.count)
  }

  /// An error number of the system.
  struct SystemFailure: Error {
    var number: Int32
  }

  /// Writes interleaved samples down and brings the header up to date.
  ///
  /// - Parameter coder: Makes the integers of a file that has integers.
  func write<Sample: BinaryFloatingPoint>(
    _ samples: [Sample], count: Int, coder: inout IntegerCoder?
  ) throws(SystemFailure) {
    guard count > 0 else { return }
    let width = sampleType.bits / 8
    coder?.code(samples, 0..<count)
    let words = coder?.words ?? []
    if bytes.count < count * width { bytes = [UInt8](repeating: 0, count: count * width) }
    unsafe bytes.withUnsafeMutableBytes { bytes in
      for index in 0..<count {
        switch sampleType {
        case .int16:
          unsafe bytes.storeBytes(
            of: Int16(truncatingIfNeeded: words[index]).littleEndian, toByteOffset: index * 2,
            as: Int16.self)
        case .int24:
          let word = words[index]
          unsafe bytes[index * 3] = UInt8(truncatingIfNeeded: word)
          unsafe bytes[index * 3 + 1] = UInt8(truncatingIfNeeded: word >> 8)
          unsafe bytes[index * 3 + 2] = UInt8(truncatingIfNeeded: word >> 16)
        case .int32:
          unsafe bytes.storeBytes(
            of: words[index].littleEndian, toByteOffset: index * 4, as: Int32.self)
        case .float32:
          unsafe bytes.storeBytes(
            of: Float(samples[index]).bitPattern.littleEndian, toByteOffset: index * 4,
            as: UInt32.self)
        case .float64:
          unsafe bytes.storeBytes(
            of: Double(samples[index]).bitPattern.littleEndian, toByteOffset: index * 8,
            as: UInt64.self)
        }
      }
    }
    try append(bytes, count: count * width)
    dataBytes += UInt64(count * width)
    try updateHeader()
  }

  func close() throws(SystemFailure) {
    defer { _ = Glibc.close(descriptor) }
    // What a failing write has left of a frame.
    if isSeekable {
      let end = header.count + Int(dataBytes)
      _ = ftruncate(descriptor, end)
      _ = lseek(descriptor, end, SEEK_SET)
    }
    // A chunk has an even number of bytes; the one that may be missing is not counted.
    if dataBytes % 2 == 1 { try append([0], count: 1) }
    try updateHeader()
  }

  private func updateHeader() throws(SystemFailure) {
    guard isSeekable else { return }
    let header = header
    while unsafe pwrite(descriptor, header, header.count, 0) != header.count {
      guard errno == EINTR else { throw SystemFailure(number: errno) }
    }
  }

  private func append(_ bytes: [UInt8], count total: Int) throws(SystemFailure) {
    let failure: Int32 = unsafe bytes.withUnsafeBytes { bytes in
      var done = 0
      while done < total {
        let count = unsafe Glibc.write(descriptor, bytes.baseAddress! + done, total - done)
        if count > 0 {
          done += count
        } else if count < 0 && errno == EAGAIN {
          var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = unsafe poll(&wait, 1, -1)
        } else if count == 0 || errno != EINTR {
          return count == 0 ? EIO : errno
        }
      }
      return 0
    }
    if failure != 0 { throw SystemFailure(number: failure) }
  }

  /// A list of information, in which the program is named (ISFT): what tells a file of ours.
  static let mark: [UInt8] = {
    let name = Array(FileMark.software.utf8) + [0]
    let padded = name + (name.count % 2 == 1 ? [0] : [])
    func size(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> ($0 * 8) & 0xFF) } }
    return Array("LIST".utf8) + size(12 + padded.count) + Array("INFOISFT".utf8) + size(name.count)
      + padded
  }()

  /// The whole head of the file, the same number of bytes at any time.
  var header: [UInt8] {
    var header: [UInt8] = []
    func text(_ text: StaticString) {
      header += text.description.utf8
    }
    func number(_ value: some FixedWidthInteger) {
      for byte in 0..<(value.bitWidth / 8) {
        header.append(UInt8(truncatingIfNeeded: value >> (byte * 8)))
      }
    }
    let width = sampleType.bits / 8
    let frameBytes = width * channelCount
    let isExtensible = channelCount > 2
    let fmtSize = isExtensible ? 40 : sampleType.isFloat ? 18 : 16
    let headerSize =
      12 + (isSeekable ? 36 + Self.mark.count : 0) + 8 + fmtSize + (sampleType.isFloat ? 12 : 0) + 8
    let padded = dataBytes + dataBytes % 2
    let riffSize = UInt64(headerSize) - 8 + padded
    let isLarge = riffSize > limit
    let unknown = UInt32.max
    text(isLarge ? "RF64" : "RIFF")
    number(isLarge || !isSeekable ? unknown : UInt32(riffSize))
    text("WAVE")
    if isSeekable {
      text(isLarge ? "ds64" : "JUNK")
      number(UInt32(28))
      number(isLarge ? riffSize : 0)
      number(isLarge ? dataBytes : 0)
      number(isLarge ? dataBytes / UInt64(frameBytes) : 0)
      number(UInt32(0))
      header += Self.mark
    }
    text("fmt ")
    number(UInt32(fmtSize))
    let tag: UInt16 = sampleType.isFloat ? 3 : 1
    number(isExtensible ? UInt16(0xFFFE) : tag)
    number(UInt16(channelCount))
    number(UInt32(sampleRate))
    number(UInt32(truncatingIfNeeded: sampleRate * frameBytes))
    number(UInt16(truncatingIfNeeded: frameBytes))
    number(UInt16(sampleType.bits))
    if isExtensible {
      number(UInt16(22))
      number(UInt16(sampleType.bits))
      // No loudspeaker positions: the channels of a bus have none.
      number(UInt32(0))
      number(tag)
      header += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    } else if sampleType.isFloat {
      number(UInt16(0))
    }
    if sampleType.isFloat {
      text("fact")
      number(UInt32(4))
      let frames = dataBytes / UInt64(frameBytes)
      number(isLarge || !isSeekable ? unknown : UInt32(frames))
    }
    text("data")
    number(isLarge || !isSeekable ? unknown : UInt32(dataBytes))
    precondition(header.count == headerSize, "the head of a WAV file keeps its size")
    return header
  }
}
