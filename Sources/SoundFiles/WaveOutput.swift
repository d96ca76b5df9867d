import CVector
import FileAccess
import Glibc

/// Writes a WAV file to a descriptor.
///
/// Samples are written in pieces. `update()` writes all of them and then the header: up to there
/// the file is complete, however the process ends. A `JUNK` chunk reserves room for 64-bit sizes: a
/// file that outgrows 32 bits becomes RF64 (EBU Tech 3306) without moving a byte. A pipe, which
/// cannot be rewound, gets sizes of 0xFFFFFFFF: "to the end".
@safe
final class WaveOutput {
  let descriptor: Int32
  let isSeekable: Bool
  let sampleType: FileSampleType
  let channelCount: Int
  let sampleRate: Int
  private let limit: UInt64
  /// The bytes of samples in the file.
  private var dataBytes: UInt64 = 0
  /// The bytes of one write, or a little more.
  private static let piece = 1 << 17
  /// Encoded samples that are not in the file yet, and their number of bytes.
  private let buffer: UnsafeMutableRawPointer
  private var waiting = 0
  private var marks = WaveMarks()
  /// `nil` for a pipe.
  private var growth: GrowingFile?
  /// Whether somebody will wait until the file is on the disk.
  var isAwaited = true { didSet { growth?.isAwaited = isAwaited } }
  private var headerLength = 0
  /// The bytes of chunks behind the samples.
  private var trailingBytes: UInt64 = 0

  /// - Parameters:
  ///   - descriptor: Closed by `close`.
  ///   - limit: The RIFF size above which the file becomes RF64.
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
    unsafe buffer = .allocate(
      byteCount: Self.piece + sampleType.bits / 8 * channelCount, alignment: 64)
    if isSeekable { growth = GrowingFile(descriptor: descriptor) }
    let header = header
    headerLength = header.count
    do { try append(header) } catch {
      // Nobody calls `close` on what was not made.
      _ = Glibc.close(descriptor)
      throw error
    }
  }

  deinit { unsafe buffer.deallocate() }

  /// The `errno` of a failure.
  struct SystemFailure: Error {
    var number: Int32
  }

  /// Writes interleaved samples.
  ///
  /// - Parameter coder: Converts samples to integers, for a file with integers.
  func write<Sample: FileSample>(
    _ samples: [Sample], count: Int, coder: inout IntegerCoder?
  ) throws(SystemFailure) {
    precondition(count <= samples.count, "so many samples are there")
    if sampleType == .float32, let floats = samples as? [Float] {
      return try write(floats, count: count)
    }
    var first = 0
    while first < count {
      // Whole frames, as many as fit.
      let length = min(count - first, samplesThatFit())
      let range = first..<first + length
      coder?.code(samples, range)
      put(samples, range, coder?.words ?? [])
      try add(length)
      first += length
    }
  }

  private func write(_ floats: [Float], count: Int) throws(SystemFailure) {
    var failure: SystemFailure?
    unsafe floats.withUnsafeBytes { bytes in
      do throws(SystemFailure) {
        try unsafe write(UnsafeRawBufferPointer(rebasing: bytes[..<(count * 4)]))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  /// Writes interleaved samples that are already little-endian `Float`s, as in the file.
  func write(_ floats: UnsafeRawBufferPointer) throws(SystemFailure) {
    precondition(sampleType == .float32, "the file has floats")
    var first = 0
    while first < floats.count {
      let length = min(floats.count - first, samplesThatFit() * 4)
      let source = unsafe UnsafeRawBufferPointer(rebasing: floats[first..<first + length])
      if waiting == 0, length >= Self.piece {
        try unsafe appendSamples(source)
      } else {
        unsafe (buffer + waiting).copyMemory(from: source.baseAddress!, byteCount: length)
        try add(length / 4)
      }
      first += length
    }
  }

  /// The samples of the whole frames that fit before the next flush.
  private func samplesThatFit() -> Int {
    let width = sampleType.bits / 8
    let free = (Self.piece - waiting + width * channelCount - 1) / (width * channelCount)
    return free * channelCount
  }

  /// Counts samples added to the buffer, and flushes it once it holds a piece.
  private func add(_ count: Int) throws(SystemFailure) {
    waiting += count * sampleType.bits / 8
    if waiting >= Self.piece { try flush() }
  }

  /// Stores samples, or the integers for them, behind those that wait.
  private func put<Sample: FileSample>(
    _ samples: [Sample], _ range: Range<Int>, _ words: [Int32]
  ) {
    let place = unsafe buffer + waiting
    switch sampleType {
    case .int16: unsafe cvector_pack16(words, words.count, place)
    case .int24: unsafe cvector_pack24(words, words.count, place)
    case .int32:
      unsafe words.withUnsafeBytes { words in
        guard let base = words.baseAddress else { return }
        unsafe place.copyMemory(from: base, byteCount: words.count)
      }
    case .float32:
      unsafe samples.withUnsafeBufferPointer { samples in
        guard let base = samples.baseAddress else { return }
        let floats = unsafe place.bindMemory(to: Float.self, capacity: range.count)
        unsafe Sample.convert(base + range.lowerBound, range.count, to: floats)
      }
    case .float64:
      unsafe samples.withUnsafeBufferPointer { samples in
        guard let base = samples.baseAddress else { return }
        let doubles = unsafe place.bindMemory(to: Double.self, capacity: range.count)
        unsafe Sample.convert(base + range.lowerBound, range.count, to: doubles)
      }
    }
  }

  /// Writes all samples and updates the header.
  func update() throws(SystemFailure) {
    try flush()
    try updateHeader()
  }

  /// Writes the buffer.
  private func flush() throws(SystemFailure) {
    guard waiting > 0 else { return }
    let length = waiting
    // Samples of a failed write are not written again.
    waiting = 0
    try unsafe appendSamples(UnsafeRawBufferPointer(start: buffer, count: length))
  }

  /// Adds silence without writing it, by extending the file. For seekable files.
  func writeSilence(frameCount: Int) throws(SystemFailure) {
    try flush()
    let bytes = UInt64(frameCount) * UInt64(sampleType.bits / 8 * channelCount)
    let end = headerLength + Int(dataBytes + bytes)
    guard ftruncate(descriptor, end) == 0, lseek(descriptor, end, SEEK_SET) == end else {
      throw SystemFailure(number: errno)
    }
    dataBytes += bytes
  }

  /// Keeps a cue point until `close`.
  func mark(_ text: String, at frame: Int) { marks.add(text, at: frame) }

  /// The whole frames in the file.
  var frameCount: Int { Int(dataBytes) / (sampleType.bits / 8 * channelCount) }

  /// Counts the samples that were written, even if the rest was not.
  private func appendSamples(_ bytes: UnsafeRawBufferPointer) throws(SystemFailure) {
    var done = 0
    defer { dataBytes += UInt64(done - done % (sampleType.bits / 8 * channelCount)) }
    let start = headerLength + Int(dataBytes)
    growth?.reserve(start..<start + bytes.count)
    try unsafe append(bytes, done: &done)
    growth?.wrote(upTo: start + bytes.count)
  }

  func close() throws(SystemFailure) {
    defer { _ = Glibc.close(descriptor) }
    var failure: SystemFailure?
    do throws(SystemFailure) { try flush() } catch { failure = error }
    // Removes a partial frame of a failed write, and frees the room ahead.
    if isSeekable {
      let end = headerLength + Int(dataBytes)
      _ = ftruncate(descriptor, end)
      _ = lseek(descriptor, end, SEEK_SET)
    }
    // A chunk has an even number of bytes. The padding byte does not count in its length.
    if dataBytes % 2 == 1 { try append([0]) }
    try updateHeader()
    try writeMarks()
    if let failure { throw failure }
  }

  /// Writes the cue points. The samples are complete already: a full disk only costs the cue
  /// points.
  private func writeMarks() throws(SystemFailure) {
    let chunks = marks.chunks
    guard isSeekable, !chunks.isEmpty else { return }
    do throws(SystemFailure) {
      try append(chunks)
      trailingBytes = UInt64(chunks.count)
    } catch {
      guard ftruncate(descriptor, headerLength + Int(dataBytes + dataBytes % 2)) == 0 else {
        throw SystemFailure(number: errno)
      }
    }
    try updateHeader()
  }

  private func updateHeader() throws(SystemFailure) {
    guard isSeekable else { return }
    let header = header
    while unsafe pwrite(descriptor, header, header.count, 0) != header.count {
      guard errno == EINTR else { throw SystemFailure(number: errno) }
    }
  }

  private func append(_ bytes: [UInt8]) throws(SystemFailure) {
    var failure: SystemFailure?
    unsafe bytes.withUnsafeBytes { bytes in
      var done = 0
      do throws(SystemFailure) { try unsafe append(bytes, done: &done) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private func append(
    _ bytes: UnsafeRawBufferPointer, done: inout Int
  ) throws(SystemFailure) {
    while done < bytes.count {
      let count = unsafe Glibc.write(
        descriptor, bytes.baseAddress! + done, bytes.count - done)
      if count > 0 {
        done += count
      } else if count < 0 && errno == EAGAIN {
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&wait, 1, -1)
      } else if count == 0 || errno != EINTR {
        throw SystemFailure(number: count == 0 ? EIO : errno)
      }
    }
  }

  /// The header for the present length, always equally long.
  var header: [UInt8] {
    WaveHeader(
      sampleType: sampleType, channelCount: channelCount, sampleRate: sampleRate,
      dataBytes: dataBytes, trailingBytes: trailingBytes, isSeekable: isSeekable, limit: limit
    ).bytes
  }
}
