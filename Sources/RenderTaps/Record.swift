public import AudioTypes
public import RenderCore
public import SoundFiles

/// Writes what is on a bus to a sound file, beside the render thread.
///
/// The path's extension says what kind of file, the bus's format what a sample becomes in it:
/// itself wherever the file can hold that, so that each bit is kept. A disk may stall for four
/// seconds. Beyond that frames are lost: they are counted, and silence stands in the file in their
/// place, so that what follows is where it belongs.
public struct RecordTap: RenderTap {
  public static let description = TapDescription(
    kind: "record", summary: "Writes what is on a bus to a sound file.",
    settings: [
      SettingInfo(
        "path", .path, isRequired: true,
        summary: "The file, relative to the patch; its extension says what kind: "
          + SoundFileFormat.writable.map { ".\($0.extensions[0])" }.joined(separator: ", ")
          + ". A file that is there is replaced."),
      SettingInfo(
        "format", .choice(FileSampleType.allCases.map(\.rawValue)),
        summary: "What a sample becomes; not given, what keeps the most of the bus."),
      SettingInfo(
        "quality", .number(0...1),
        summary: "From the smallest file to the best sound, where the file compresses with loss."),
    ],
    make: { values in
      var tap = RecordTap(path: "")
      if case .text(let path) = values["path"] { tap.path = path }
      if case .text(let name) = values["format"] {
        tap.sampleType = FileSampleType(rawValue: name)
      }
      if case .number(let quality) = values["quality"] { tap.quality = quality }
      return tap
    })

  /// Absolute, or relative to the process's working directory; `-` for WAV on standard output.
  public var path: String
  /// What a sample becomes; `nil` for what keeps the most of the bus.
  public var sampleType: FileSampleType?
  /// From 0 to 1, for files that compress with loss; `nil` for the library's own choice.
  public var quality: Double?

  public init(path: String, sampleType: FileSampleType? = nil, quality: Double? = nil) {
    self.path = path
    self.sampleType = sampleType
    self.quality = quality
  }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    var values: [String: SettingValue] = ["path": .text(path)]
    values["quality"] = quality.map(SettingValue.number)
    let found = Self.description.problems(with: values)
    guard found.isEmpty else { return found }
    return SoundFileWriter.problem(
      path: path, format: format, sampleType: sampleType, quality: quality
    ).map { [problem(of: $0)] } ?? []
  }

  public func makeSink(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSink {
    if let problem = problems(for: format).first { throw problem }
    let writer: SoundFileWriter
    do throws(SoundFileError) {
      writer = try SoundFileWriter(
        path: path, format: format, sampleType: sampleType, quality: quality)
    } catch {
      throw problem(of: error)
    }
    let service = RecordService(
      writer: writer, format: format,
      capacity: max(
        Int(min(format.sampleRate, 1e6)) * 4, 4 * maximumFramesPerSlice, 4 * RecordService.block))
    return RenderSink(kernel: service.makeKernel(), service: service)
  }

  private func problem(of error: SoundFileError) -> CallbackProblem {
    let isFormat = error.kind == .formatNotSupported
    return CallbackProblem(
      isFormat ? .formatNotSupported : .unwritable, status: error.status, error.message,
      help: error.help,
      setting: isFormat && sampleType != nil ? "format" : isFormat ? nil : "path")
  }
}

// MARK: - Render thread

struct RecordKernel: RenderKernel {
  /// Where in the counters the frames are that were lost in all.
  static var lost: Int { @_noLocks get { 0 } }
  /// Where the frames are whose silence is still missing in the ring.
  static var missing: Int { @_noLocks get { 1 } }

  private let ring: FrameRingAccess
  private let counters: ControlAccess
  /// Frames that found no room and whose silence is not in the ring yet.
  private var missing = 0

  init(ring: FrameRingAccess, counters: ControlAccess) {
    self.ring = ring
    self.counters = counters
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let input = context.input(0)
    var room = ring.room
    if missing > 0 && room > 0 {
      let filled = missing < room ? missing : room
      ring.writeSilence(filled)
      ring.commit(filled)
      missing -= filled
      room -= filled
      counters[word: Self.missing] = Self.saturated(missing)
    }
    let taken = room < context.frameCount ? room : context.frameCount
    if taken > 0 {
      for channel in 0..<input.channelCount {
        ring.write(input[channel].prefix(taken), channel: channel)
      }
      ring.commit(taken)
    }
    let lost = context.frameCount - taken
    if lost > 0 {
      missing += lost
      counters[word: Self.missing] = Self.saturated(missing)
      counters[word: Self.lost] = Self.saturated(
        Int(counters[word: Self.lost]) + lost)
    }
    return .ok
  }

  @_noLocks
  private static func saturated(_ count: Int) -> UInt32 {
    count > Int(UInt32.max) ? .max : UInt32(truncatingIfNeeded: count)
  }
}

// MARK: - Beside the render thread

/// Takes frames out of a ring and writes them to a file.
///
/// `@unchecked Sendable`: its calls come one at a time, as `RenderService` says; the ring and the
/// counters are made for two threads.
@safe
final class RecordService: RenderService, @unchecked Sendable {
  /// Frames that are written in one go.
  static let block = 4096

  private let ring: FrameRing
  private let counters = ControlBlock(count: 2)
  private let access: FrameRingAccess
  private let writer: SoundFileWriter
  private let sample: SampleType
  private let channelCount: Int
  private let lane: UnsafeMutablePointer<Float>
  private var floats: [Float]
  private var doubles: [Double]
  private var failure: ServiceError?
  private var isFinished = false

  init(writer: SoundFileWriter, format: StreamFormat, capacity: Int) {
    self.writer = writer
    sample = format.sampleType ?? .float32
    channelCount = format.channelCount
    ring = FrameRing(channelCount: channelCount, minimumCapacity: capacity)
    access = ring.access
    let size = Self.block * channelCount
    floats = [Float](repeating: 0, count: sample.fitsFloat ? size : 0)
    doubles = [Double](repeating: 0, count: sample.fitsFloat ? 0 : size)
    unsafe lane = .allocate(capacity: Self.block)
    unsafe lane.initialize(repeating: 0, count: Self.block)
  }

  deinit { unsafe lane.deallocate() }

  func makeKernel() -> KernelBox {
    .holding(RecordKernel(ring: access, counters: counters.access), with: ring, counters)
  }

  var lostFrames: Int { Int(counters[word: RecordKernel.lost]) }

  func service(atLeast frameCount: Int) throws(ServiceError) {
    guard access.available >= Self.block || access.room < frameCount else { return }
    try drain()
  }

  /// Writes what is in the ring. After a failure the frames are thrown away and the failure is
  /// thrown again, so that a host that goes on can.
  private func drain() throws(ServiceError) {
    while case let count = min(access.available, Self.block), count > 0 {
      if failure == nil {
        do throws(SoundFileError) {
          if sample.fitsFloat {
            take(count, into: &floats) { $0 }
            try writer.write(floats, frameCount: count)
          } else {
            let sample = sample
            take(count, into: &doubles) {
              SampleCoding.value(Int32(bitPattern: $0.bitPattern), of: sample)
            }
            try writer.write(doubles, frameCount: count)
          }
        } catch {
          failure = ServiceError(error.message)
        }
      }
      access.discard(count)
    }
    if let failure { throw failure }
  }

  func finish() throws(ServiceError) {
    guard !isFinished else { return }
    isFinished = true
    do throws(ServiceError) {
      try drain()
      try writeMissing(Int(counters[word: RecordKernel.missing]))
    } catch {
      try? writer.close()
      throw error
    }
    do throws(SoundFileError) { try writer.close() } catch { throw ServiceError(error.message) }
  }

  /// The silence for which the ring had no room to the end.
  private func writeMissing(_ frameCount: Int) throws(ServiceError) {
    var rest = frameCount
    let zeros = [Float](repeating: 0, count: rest > 0 ? Self.block * channelCount : 0)
    while rest > 0 {
      let count = min(rest, Self.block)
      do throws(SoundFileError) { try writer.write(zeros, frameCount: count) } catch {
        throw ServiceError(error.message)
      }
      rest -= count
    }
  }

  @inline(__always)
  private func take<Number>(
    _ frameCount: Int, into samples: inout [Number], _ number: (Float) -> Number
  ) {
    let buffer = unsafe ChannelBuffer(base: lane, count: frameCount)
    for channel in 0..<channelCount {
      access.read(into: buffer, channel: channel)
      for frame in 0..<frameCount {
        samples[frame * channelCount + channel] = unsafe number(lane[frame])
      }
    }
  }
}
