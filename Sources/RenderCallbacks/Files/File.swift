public import AudioTypes
public import FileAccess
public import RenderCore
import SoundFiles

/// A sound file, read ahead of the render thread.
///
/// A file with another rate than its bus is converted with libsoxr's very-high-quality recipe,
/// `ChannelMapping` maps the channels, and the samples are rounded to the bus's format. Without a
/// gain and a conversion each bit of the file reaches a bus that can hold it. A loop runs through
/// the converter without a seam.
public struct FileCallback: KeyPathCallback {
  public static let description = CallbackDescription(
    kind: "file", summary: "A sound file, once or in a loop, in the format of its bus.",
    hasBeginning: true, placeSettings: ["path", "start", "end", "at"],
    settings: [
      SettingInfo(
        "path", .path, isRequired: true,
        summary: "The file, relative to the patch: WAV, AIFF, CAF, FLAC, Ogg, MP3 and others."),
      SettingInfo(
        "loop", .boolean, defaultValue: .boolean(false), change: .live,
        summary: "Whether it begins again, from 'start', when it ends. Otherwise silence follows."),
      SettingInfo(
        "at", .number(0...86_400), unit: .seconds, defaultValue: .number(0),
        summary:
          "When it begins, to the nearest frame: so long after the run has begun, or after a change has brought the callback in."
      ),
      SettingInfo(
        "start", .number(0...Double.infinity), unit: .seconds, defaultValue: .number(0),
        summary: "Where in the file it begins."),
      SettingInfo(
        "end", .number(0...Double.infinity, excludesLowerBound: true), unit: .seconds,
        summary: "Where in the file it ends; not given, at the end of the file."),
      SettingInfo(
        "gain", .number(0...100), unit: .linearGain, defaultValue: .number(1), change: .ramp,
        summary: "What each sample is multiplied by."),
    ],
    make: { values in
      var callback = FileCallback(
        path: values.text("path") ?? "", loop: values.boolean("loop"),
        at: values.number("at") ?? 0, start: values.number("start") ?? 0, end: values.number("end"),
        gain: values.number("gain") ?? 1)
      callback.files = values.files
      return callback
    })

  public static let keyPaths: KeyPaths = ["loop": \.loop.number, "gain": \.gain]

  /// Absolute, or relative to the process's working directory.
  public var path: String
  /// Whether it begins again at its end.
  public var loop: Bool
  /// The silence before it, in seconds from 0 to a day.
  public var at: Double
  /// Where it begins in the file, in seconds.
  public var start: Double
  /// Where it ends in the file, in seconds; `nil` for the end of the file.
  public var end: Double?
  /// Linear, from 0 to 100.
  public var gain: Double
  /// The policy that decides whether the file may be opened.
  public var files = FilePolicy.user

  public init(
    path: String, loop: Bool = false, at: Double = 0, start: Double = 0, end: Double? = nil,
    gain: Double = 1
  ) {
    self.path = path
    self.loop = loop
    self.at = at
    self.start = start
    self.end = end
    self.gain = gain
  }

  public var canLeaveRounding: Bool { true }

  public func duration(for format: StreamFormat) -> Int? {
    guard !loop, case .success(let part) = part(for: format) else { return nil }
    return wait(at: format.sampleRate) + part.duration(at: format.sampleRate)
  }

  /// Frames before the file begins.
  private func wait(at sampleRate: Double) -> Int { Int((at * sampleRate).rounded()) }

  /// A second of frames that are read ahead, and the blocks on their way there.
  public func memory(for format: StreamFormat, maximumFramesPerSlice: Int) -> Int {
    let frames =
      2 * max(Int(min(max(format.sampleRate, 1), 1e6)), 4 * maximumFramesPerSlice, 16_384)
    return (4 * frames + 128 * 1024) * max(format.channelCount, 1)
  }

  public func peak(pulling level: PeakLevel) -> PeakLevel { PeakLevel.unknown.scaled(by: gain) }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    switch part(for: format) {
    case .success: []
    case .failure(let found): found.problems
    }
  }

  public func warnings(for format: StreamFormat) -> [CallbackProblem] {
    guard case .success(let part) = part(for: format) else { return [] }
    return CallbackProblem.warnings(of: part.reader)
  }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int, following instance: CallbackInstance,
    after before: SourceContinuation?
  ) throws(CallbackProblem) -> RenderSource {
    let part: Part
    switch self.part(for: format) {
    case .success(let found): part = found
    case .failure(let found): throw found.problems[0]
    }
    let passes = FilePasses(
      length: part.frames.count, fileRate: part.reader.sampleRate, busRate: format.sampleRate)
    let wait = wait(at: format.sampleRate)
    let start = passes.start(after: before, loops: loop, wait: wait)
    let clock = SourceClock(sampleRate: format.sampleRate)
    // Before the first slice, too, it may be asked when it ends.
    let place = SourceClockAccess.Place(frame: start.position)
    if start.position < 0 { clock.access.note(at: -.infinity, from: place, to: place) }
    func makeKernel(
      _ origin: FileKernel.Origin, lost: ControlBlock, unscaled: CounterBlock, baked: Double
    ) -> FileKernel {
      FileKernel(
        origin: origin, lost: lost.access, unscaled: unscaled.access, baked: baked,
        gain: instance.control("gain", length: glideLength(format)),
        loop: instance.control("loop", length: 1), sample: format.sampleType ?? .float32,
        passes: passes, start: start, clock: clock.access, before: before?.clock.access)
    }
    let durationNow: @Sendable () -> Int? = {
      instance.value(of: "loop") == 1 ? nil : clock.place.phase + passes.rest(clock.place.frame)
    }
    // A short loop is played from memory: it has no service that reads ahead.
    if loop, before == nil, FileService.isStraight(part, format, gain: gain),
      let frames = FileImage.frames(of: part.reader), frames.isFinite
    {
      let lost = ControlBlock(count: 1)
      let unscaled = CounterBlock(count: 1)
      let kernel = makeKernel(
        .stored(frames.access, first: part.frames.lowerBound), lost: lost, unscaled: unscaled,
        baked: 1)
      return RenderSource(
        kernel: .lending(
          kernel, isNearlyFree: true, with: frames, lost, unscaled, instance.block, clock),
        writesBusWords: true, clock: clock, durationNow: durationNow)
    }
    let service = FileService(
      part: part, passes: passes, start: start, settings: instance, gain: gain, format: format,
      maximumFramesPerSlice: maximumFramesPerSlice, isContinuation: before != nil)
    let kernel = makeKernel(
      .ring(service.ring.access), lost: service.lost, unscaled: service.unscaled,
      baked: service.baked)
    return RenderSource(
      kernel: .lending(
        kernel, isNearlyFree: false, with: service.ring, service.lost, service.unscaled,
        instance.block, clock,
        FileOrigin(before)),
      writesBusWords: true, duration: loop ? nil : wait + part.duration(at: format.sampleRate),
      service: service, clock: clock, durationNow: durationNow)
  }

  /// An open file, and its frames to play.
  struct Part {
    var reader: SoundFileReader
    var frames: Range<Int>
    /// Set where the file has another rate than the bus.
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
      "path": .text(path), "at": .number(at), "start": .number(start), "gain": .number(gain),
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
      reader = try SoundFileReader(path: path, files: files)
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
  /// The problem of a callback whose file has an error.
  init(_ error: SoundFileError, setting: String) {
    let kind: Kind =
      switch error.kind {
      case .notFound: .fileNotFound
      case .notReadable, .readFailed: .fileUnreadable
      case .notAudio: .notAudio
      case .notOwn: .notOwn
      case .notWritable, .writeFailed, .unknownFormat: .unwritable
      case .formatNotSupported: .formatNotSupported
      }
    self.init(kind, status: error.status, error.message, help: error.help, setting: setting)
  }

  /// Warnings about a file that can be played.
  static func warnings(of reader: SoundFileReader) -> [CallbackProblem] {
    reader.shortfall().map {
      [
        CallbackProblem(
          .fileUnreadable, status: .invalidFile, $0,
          help: "copy the file anew, or make what there is of it whole: 'patchrun recover'",
          setting: "path")
      ]
    } ?? []
  }
}
