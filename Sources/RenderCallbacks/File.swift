public import AudioTypes
public import RenderCore
import SoundFiles

/// A sound file, read ahead of the render thread.
///
/// A file with another rate than its bus is converted with libsoxr's very-high-quality recipe, the
/// channels go where `ChannelMapping` says, and the samples become what the bus holds: each bit of
/// the file reaches a bus that can hold it when there is no gain and no other rate. A loop runs
/// through the converter without a seam.
public struct FileCallback: RenderCallback {
  public static let description = CallbackDescription(
    kind: "file", summary: "A sound file, once or in a loop, in the format of its bus.",
    settings: [
      SettingInfo(
        "path", .path, isRequired: true,
        summary: "The file, relative to the patch: WAV, AIFF, CAF, FLAC, Ogg, MP3 and others."),
      SettingInfo(
        "loop", .boolean, unit: .boolean, defaultValue: .boolean(false),
        summary: "Whether it begins again, from 'start', when it ends. Otherwise silence follows."),
      SettingInfo(
        "start", .number(0...Double.infinity), unit: .seconds, defaultValue: .number(0),
        summary: "Where in the file it begins."),
      SettingInfo(
        "end", .number(0...Double.infinity, excludesLowerBound: true), unit: .seconds,
        summary: "Where in the file it ends; not given, at the end of the file."),
      SettingInfo(
        "gain", .number(0...100), unit: .linearGain, defaultValue: .number(1),
        summary: "What each sample is multiplied by."),
    ],
    make: { values in
      FileCallback(
        path: values.text("path") ?? "", loop: values.boolean("loop"),
        start: values.number("start") ?? 0, end: values.number("end"),
        gain: values.number("gain") ?? 1)
    })

  /// Absolute, or relative to the process's working directory.
  public var path: String
  public var loop: Bool
  /// In seconds of the file.
  public var start: Double
  /// In seconds of the file; `nil` for its end.
  public var end: Double?
  /// Linear, from 0 to 100.
  public var gain: Double

  public init(
    path: String, loop: Bool = false, start: Double = 0, end: Double? = nil, gain: Double = 1
  ) {
    self.path = path
    self.loop = loop
    self.start = start
    self.end = end
    self.gain = gain
  }

  public func duration(for format: StreamFormat) -> Int? {
    guard !loop, case .success(let part) = part(for: format) else { return nil }
    return part.duration(at: format.sampleRate)
  }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    switch part(for: format) {
    case .success: []
    case .failure(let found): found.problems
    }
  }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSource {
    let part: Part
    switch self.part(for: format) {
    case .success(let found): part = found
    case .failure(let found): throw found.problems[0]
    }
    let duration = loop ? nil : part.duration(at: format.sampleRate)
    let service = FileService(
      part: part, loops: loop, gain: gain, format: format,
      duration: duration, maximumFramesPerSlice: maximumFramesPerSlice)
    return RenderSource(
      kernel: .holding(
        FileKernel(
          ring: service.ring.access, lost: service.lost.access, duration: duration ?? .max),
        with: service.ring, service.lost),
      writesBusWords: true, duration: duration, service: service)
  }

  /// An open file and the frames of it to play.
  struct Part {
    var reader: SoundFileReader
    var frames: Range<Int>
    /// Where the file has another rate than the bus.
    var converter: RateConverter?

    func duration(at sampleRate: Double) -> Int {
      RateConverter.outputLength(frames.count, from: reader.sampleRate, to: sampleRate)
    }
  }

  struct Problems: Error {
    var problems: [CallbackProblem]
  }

  private func part(for format: StreamFormat) -> Result<Part, Problems> {
    var values: [String: SettingValue] = [
      "path": .text(path), "start": .number(start), "gain": .number(gain),
    ]
    values["end"] = end.map(SettingValue.number)
    var found = Self.description.problems(with: values) + busProblems(format)
    func complain(_ setting: String, _ message: String, help: String = "") {
      found.append(
        CallbackProblem(
          .badSetting, status: .parameterError, message, help: help, setting: setting))
    }
    if let end, end <= start {
      complain(
        "end", "'end' is \(rateText(end)) s, not after 'start' at \(rateText(start)) s")
    }
    guard !found.contains(where: { $0.setting == "path" }) else {
      return .failure(Problems(problems: found))
    }
    let reader: SoundFileReader
    do throws(SoundFileError) {
      reader = try SoundFileReader(path: path)
    } catch {
      return .failure(Problems(problems: found + [CallbackProblem(error, setting: "path")]))
    }
    guard reader.frameCount > 0 else {
      let problem = CallbackProblem(
        .notAudio, status: .invalidFile, "'\(path)' holds no frames: there is nothing to play",
        setting: "path")
      return .failure(Problems(problems: found + [problem]))
    }
    let length =
      "'\(path)' is \(rateText((reader.duration * 1e6).rounded() / 1e6)) s long"
    if start.isFinite && start * reader.sampleRate > Double(reader.frameCount) - 0.5 {
      complain("start", "'start' is \(rateText(start)) s, beyond the end of the file", help: length)
    }
    if let end, end.isFinite, end * reader.sampleRate >= Double(reader.frameCount) + 0.5 {
      complain(
        "end", "'end' is \(rateText(end)) s, beyond the end of the file",
        help: length + "; leave 'end' out to play it whole")
    }
    guard found.isEmpty else { return .failure(Problems(problems: found)) }
    let first = Int((start * reader.sampleRate).rounded())
    let last = end.map { Int(($0 * reader.sampleRate).rounded()) } ?? reader.frameCount
    guard last > first else {
      complain("end", "from 'start' to 'end' it is less than a frame")
      return .failure(Problems(problems: found))
    }
    var converter: RateConverter?
    if reader.sampleRate != format.sampleRate {
      do throws(SoundFileError) {
        converter = try RateConverter(
          from: reader.sampleRate, to: format.sampleRate, channelCount: reader.channelCount)
      } catch {
        return .failure(Problems(problems: [CallbackProblem(error, setting: "path")]))
      }
    }
    return .success(Part(reader: reader, frames: first..<last, converter: converter))
  }
}

extension CallbackProblem {
  /// A sound file's own error, as the problem of the callback that names it.
  init(_ error: SoundFileError, setting: String) {
    let kind: Kind =
      switch error.kind {
      case .notFound: .fileNotFound
      case .notReadable, .readFailed: .fileUnreadable
      case .notAudio: .notAudio
      case .notWritable, .writeFailed, .unknownFormat: .unwritable
      case .formatNotSupported: .formatNotSupported
      }
    self.init(kind, status: error.status, error.message, help: error.help, setting: setting)
  }
}

// MARK: - Render thread

struct FileKernel: RenderKernel {
  private let ring: FrameRingAccess
  private let lost: ControlAccess
  private let duration: Int
  private var position = 0
  /// Frames that were not there in time and are thrown away when they come: what follows is heard
  /// when it is due, and files that play side by side stay together.
  private var late = 0

  init(ring: FrameRingAccess, lost: ControlAccess, duration: Int) {
    self.ring = ring
    self.lost = lost
    self.duration = duration
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    let rest = duration - position
    let wanted = rest < context.frameCount ? rest : context.frameCount
    guard wanted > 0 else {
      output.silence()
      return .ok
    }
    var available = ring.available
    if late > 0 {
      let skipped = late < available ? late : available
      ring.discard(skipped)
      late -= skipped
      available -= skipped
    }
    let ready = available < wanted ? available : wanted
    for channel in 0..<output.channelCount {
      let buffer = output[channel]
      if ready > 0 { ring.read(into: buffer.prefix(ready), channel: channel) }
      if ready < buffer.count { buffer.dropping(ready).clear() }
    }
    ring.discard(ready)
    if ready < wanted {
      late += wanted - ready
      let total = UInt64(lost[word: 0]) + UInt64(truncatingIfNeeded: wanted - ready)
      lost[word: 0] = total > UInt64(UInt32.max) ? .max : UInt32(truncatingIfNeeded: total)
      if ready == 0 { output.markSilent() }
    }
    position += wanted
    return .ok
  }
}

// MARK: - Beside the render thread

/// Reads, converts and maps, and leaves words for the bus in a ring.
///
/// `@unchecked Sendable`: its calls come one at a time, as `RenderService` says; the ring and the
/// counter are made for two threads.
@safe
final class FileService: RenderService, @unchecked Sendable {
  let ring: FrameRing
  let lost = ControlBlock(count: 1)
  private let access: FrameRingAccess
  private let part: FileCallback.Part
  private let converter: RateConverter?
  private let loops: Bool
  private let gain: Double
  private let sample: SampleType
  private let sources: [ChannelMapping.Source]
  private let fileChannels: Int
  /// Frames still to come, counted at the bus.
  private var remaining: Int
  /// Frames of the part that the file really has: a damaged one may end early.
  private var frames: Range<Int>
  private var isFed = false

  /// Frames that are read, converted and written down in one go.
  private static let block = 4096
  private var fileBlock: [Double]
  private var fileBlockRange = 0..<0
  private var busBlock: [Double]
  private let lane: UnsafeMutablePointer<Float>

  init(
    part: FileCallback.Part, loops: Bool, gain: Double,
    format: StreamFormat, duration: Int?, maximumFramesPerSlice: Int
  ) {
    self.part = part
    converter = part.converter
    self.loops = loops
    self.gain = gain
    sample = format.sampleType ?? .float32
    fileChannels = part.reader.channelCount
    sources =
      ChannelMapping(fileChannels: fileChannels, busChannels: format.channelCount).sources
    remaining = duration ?? .max
    frames = part.frames
    ring = FrameRing(
      channelCount: format.channelCount,
      minimumCapacity: max(
        Int(min(format.sampleRate, 1e6)), 4 * maximumFramesPerSlice, 4 * Self.block))
    access = ring.access
    fileBlock = [Double](repeating: 0, count: Self.block * fileChannels)
    busBlock = [Double](
      repeating: 0, count: converter == nil ? 0 : Self.block * fileChannels)
    unsafe lane = .allocate(capacity: Self.block)
    unsafe lane.initialize(repeating: 0, count: Self.block)
  }

  deinit { unsafe lane.deallocate() }

  var lostFrames: Int { Int(lost[word: 0]) }

  func service(atLeast frameCount: Int) throws(ServiceError) {
    let available = access.available
    guard remaining > 0, available < access.capacity / 2 || available < frameCount else { return }
    while remaining > 0 && access.room >= Self.block {
      let wanted = min(Self.block, remaining)
      let made: Int
      if converter != nil {
        made = try convert(wanted)
        put(busBlock, made)
      } else {
        made = wanted
        try read(wanted)
        put(fileBlock, made)
      }
      if !loops { remaining -= made }
    }
  }

  func finish() throws(ServiceError) {}

  /// Fills `busBlock` with `wanted` frames at the rate of the bus; fewer only at the very end.
  private func convert(_ wanted: Int) throws(ServiceError) -> Int {
    guard let converter else { return 0 }
    while true {
      if fileBlockRange.isEmpty && !isFed {
        try read(Self.block)
        fileBlockRange = 0..<Self.block
        if !loops {
          let length = min(Self.block, unread)
          unread -= length
          fileBlockRange = 0..<length
          isFed = unread == 0
        }
      }
      let given: Int
      if fileBlockRange.isEmpty {
        given = converter.flush(into: &busBlock)
        if given == 0 { return silence(wanted) }
      } else {
        let taken: Int
        (taken, given) = converter.convert(
          fileBlock, from: fileBlockRange.lowerBound, frameCount: fileBlockRange.count,
          into: &busBlock)
        fileBlockRange = fileBlockRange.lowerBound + taken..<fileBlockRange.upperBound
      }
      if given > 0 { return min(given, wanted) }
    }
  }

  /// Frames of the part that have not been fed to the converter.
  private lazy var unread = part.frames.count

  private func silence(_ wanted: Int) -> Int {
    for index in busBlock.indices { busBlock[index] = 0 }
    return wanted
  }

  /// Fills `fileBlock` with the next `wanted` frames of the part, from its beginning again where it
  /// loops; zeros where there is no more.
  private func read(_ wanted: Int) throws(ServiceError) {
    var done = 0
    let reader = part.reader
    do throws(SoundFileError) {
      if reader.position < frames.lowerBound { try reader.seek(to: frames.lowerBound) }
      while done < wanted {
        let length = min(wanted - done, frames.upperBound - reader.position)
        if length > 0 {
          let count = reader.read(into: &fileBlock, at: done, frameCount: length)
          done += count
          if count < length {
            // The file ends before its header says so.
            frames = frames.lowerBound..<max(frames.lowerBound, reader.position)
          }
        } else if loops && !frames.isEmpty {
          try reader.seek(to: frames.lowerBound)
        } else {
          for index in done * fileChannels..<wanted * fileChannels { fileBlock[index] = 0 }
          done = wanted
        }
      }
    } catch {
      throw ServiceError(error.message)
    }
  }

  /// Turns interleaved numbers into the bus's words, a channel at a time, and hands them over.
  private func put(_ block: [Double], _ frameCount: Int) {
    let buffer = unsafe ChannelBuffer(base: lane, count: frameCount)
    for (channel, source) in sources.enumerated() {
      switch source {
      case .channel(let index):
        encode(frameCount) { block[$0 * fileChannels + index] }
      case .mean:
        encode(frameCount) { (block[$0 * 2] + block[$0 * 2 + 1]) / 2 }
      case .silence: buffer.clear()
      }
      access.write(buffer, channel: channel)
    }
    access.commit(frameCount)
  }

  @inline(__always)
  private func encode(_ frameCount: Int, _ value: (Int) -> Double) {
    switch sample {
    case .float32:
      for frame in 0..<frameCount { unsafe lane[frame] = Float(value(frame) * gain) }
    case .int16, .int24:
      for frame in 0..<frameCount {
        let word = SampleCoding.word(value(frame) * gain, as: sample)
        unsafe lane[frame] = Float(SampleCoding.value(word, of: sample))
      }
    case .int32, .fixed824:
      for frame in 0..<frameCount {
        let word = SampleCoding.word(value(frame) * gain, as: sample)
        unsafe lane[frame] = Float(bitPattern: UInt32(bitPattern: word))
      }
    }
  }
}
