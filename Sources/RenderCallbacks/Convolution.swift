public import AudioTypes
public import FileAccess
public import RenderCore
import SoundFiles

/// Convolves what it pulls with an impulse response from a sound file: of a room, a loudspeaker, a
/// spring.
///
/// There is no latency: each output frame contains the response's first tap of the same input frame
/// (see `Convolver`). A response whose rate differs from that of the bus is converted, and scaled
/// to keep its frequency response. On a bus of n channels, those of the response are used as
/// follows:
///
/// - one: on each channel;
/// - n: each on its own channel;
/// - two, on a bus of one: the mean of both;
/// - n², from each channel to each: for two, left to left, left to right, right to left, right to
///   right ("true stereo").
public struct ConvolutionCallback: KeyPathCallback {
  public static let description = CallbackDescription(
    kind: "convolution",
    summary: "What it pulls, convolved with an impulse response, without latency.",
    input: .required,
    settings: [
      SettingInfo(
        "path", .path, isRequired: true,
        summary: "The file with the response, relative to the patch; up to 30 s of it."),
      SettingInfo(
        "gain", .number(-100...100), unit: .linearGain, defaultValue: .number(1), change: .ramp,
        summary: "What the response is multiplied by."),
      .mix(1, "How much of the convolved sound, the rest being what is pulled: 0 to 1."),
    ],
    make: { values in
      var callback = ConvolutionCallback(
        path: values.text("path") ?? "", gain: values.number("gain") ?? 1,
        mix: values.number("mix") ?? 1)
      callback.files = values.files
      return callback
    })

  public static let keyPaths: KeyPaths = ["gain": \.gain, "mix": \.mix]

  /// The limit of a response by default, in seconds.
  public static let usualLongestResponse = 30.0

  /// Absolute, or relative to the process's working directory.
  public var path: String
  /// Linear, from -100 to 100.
  public var gain: Double
  /// From 0 (what is pulled) to 1 (the convolved sound).
  public var mix: Double
  /// The policy that decides whether the file may be opened.
  public var files = FilePolicy.user

  /// The limit of a response, in seconds.
  public var longestResponse = Self.usualLongestResponse

  public init(path: String, gain: Double = 1, mix: Double = 1) {
    self.path = path
    self.gain = gain
    self.mix = mix
  }

  public var input: CallbackInput { .required }

  public func duration(for format: StreamFormat) -> Int? {
    guard case .success(let reader) = reader(for: format) else { return nil }
    return length(of: reader, at: format.sampleRate) - 1
  }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    switch reader(for: format) {
    case .success: []
    case .failure(let found): found.problems
    }
  }

  /// The parts of the response and of the input are kept as spectra: 24 bytes for each sample.
  public func memory(for format: StreamFormat, maximumFramesPerSlice: Int) -> Int {
    guard case .success(let reader) = reader(for: format) else { return 0 }
    let frames = Double(length(of: reader, at: format.sampleRate))
    let channels = Double(max(reader.channelCount, format.channelCount))
    return Int(min(24 * frames * channels, 0x1p50))
  }

  public func warnings(for format: StreamFormat) -> [CallbackProblem] {
    guard case .success(let reader) = reader(for: format) else { return [] }
    return CallbackProblem.warnings(of: reader)
  }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int, following instance: CallbackInstance,
    after before: SourceContinuation?
  ) throws(CallbackProblem) -> RenderSource {
    let reader: SoundFileReader
    switch self.reader(for: format) {
    case .success(let found): reader = found
    case .failure(let found): throw found.problems[0]
    }
    var file = try readWhole(reader, at: format.sampleRate)
    // A response that is not heard now is stored unscaled, for later.
    let isHeard = gain * mix != 0
    let scale = (isHeard ? gain * mix : 1) * (reader.sampleRate / format.sampleRate)
    for channel in file.indices {
      for tap in file[channel].indices { file[channel][tap] *= scale }
    }
    let channels = format.channelCount
    if reader.channelCount == 2 && channels == 1 {
      file = [zip(file[0], file[1]).map { ($0 + $1) / 2 }]
    }
    let isMatrix = channels > 1 && file.count == channels * channels
    var paths: [Convolver.Path] = []
    for channel in 0..<channels {
      let own = isMatrix ? channel * channels + channel : file.count == 1 ? 0 : channel
      paths.append(.init(input: channel, output: channel, response: own))
      if isHeard, channel == 0 || file.count > 1 { file[own][0] += 1 - mix }
      guard isMatrix else { continue }
      for output in 0..<channels where output != channel {
        paths.append(
          .init(input: channel, output: output, response: channel * channels + output))
      }
    }
    let length = file[0].count
    let convolver = Convolver(
      responses: file.map { $0.map(Float.init) }, paths: paths, inputCount: channels,
      outputCount: channels)
    return RenderSource(
      kernel: .holding(
        ConvolutionKernel(
          convolver: convolver, wet: isHeard ? gain * mix : 1, dry: isHeard ? 1 - mix : 0,
          gain: instance.control("gain", length: glideLength(format)),
          mix: instance.control("mix", length: glideLength(format))), with: instance.block),
      duration: length - 1)
  }

  private func length(of reader: SoundFileReader, at sampleRate: Double) -> Int {
    max(
      1, RateConverter.outputLength(reader.frameCount, from: reader.sampleRate, to: sampleRate))
  }

  /// The file, if it can be used on a bus of `format`.
  private func reader(
    for format: StreamFormat
  ) -> Result<SoundFileReader, FileCallback.Problems> {
    var found =
      Self.description.problems(with: [
        "path": .text(path), "gain": .number(gain), "mix": .number(mix),
      ]) + busProblems(format)
    guard found.isEmpty else { return .failure(.init(problems: found)) }
    let reader: SoundFileReader
    do throws(SoundFileError) {
      reader = try SoundFileReader(path: path, files: files)
    } catch {
      return .failure(.init(problems: [CallbackProblem(error, setting: "path")]))
    }
    func complain(_ kind: CallbackProblem.Kind, _ message: String, help: String = "") {
      found.append(
        CallbackProblem(
          kind, status: kind == .notAudio ? .invalidFile : .formatNotSupported, message,
          help: help, setting: "path"))
    }
    if reader.frameCount == 0 {
      complain(.notAudio, "'\(path)' holds no frames: there is no response")
    }
    if reader.duration > longestResponse {
      complain(
        .responseTooLong,
        "'\(path)' is \(rateText((reader.duration * 1e3).rounded() / 1e3)) s long; a response is "
          + "at most \(rateText(longestResponse)) s",
        help: "cut it: a response ends where it can no longer be heard; where all of it is meant, "
          + "`--limit seconds=\(Int(reader.duration.rounded(.up)))` allows it")
    }
    let channels = format.channelCount
    let fits = Set([1, channels, channels * channels] + (channels == 1 ? [2] : [])).sorted()
    if !fits.contains(reader.channelCount) {
      let numbers = fits.map { "\($0)" }
      complain(
        .formatNotSupported,
        "'\(path)' has \(reader.channelCount) channels, and the bus has \(channels)",
        help: "a response for this bus has "
          + (numbers.dropLast().joined(separator: ", ") + " or " + numbers[numbers.count - 1])
          + " channels")
    }
    if found.isEmpty, reader.sampleRate != format.sampleRate {
      do throws(SoundFileError) {
        _ = try RateConverter(from: reader.sampleRate, to: format.sampleRate, channelCount: 1)
      } catch {
        found.append(CallbackProblem(error, setting: "path"))
      }
    }
    return found.isEmpty ? .success(reader) : .failure(.init(problems: found))
  }

  /// The response at the rate of the bus: channels, taps.
  private func readWhole(
    _ reader: SoundFileReader, at sampleRate: Double
  ) throws(CallbackProblem) -> [[Double]] {
    let channels = reader.channelCount
    var frames = [Double](repeating: 0, count: reader.frameCount * channels)
    // An incomplete response would be a different room, so it is refused.
    do throws(SoundFileError) {
      _ = try reader.read(into: &frames, at: 0, frameCount: reader.frameCount)
    } catch {
      throw CallbackProblem(
        .fileUnreadable, status: error.status,
        "'\(path)' cannot be read at "
          + "\(ServiceEvent.clock(Double(reader.position) / reader.sampleRate)): \(error.message)",
        setting: "path")
    }
    if reader.sampleRate != sampleRate {
      do throws(SoundFileError) {
        frames = try converted(frames, channels, from: reader.sampleRate, to: sampleRate)
      } catch {
        throw CallbackProblem(error, setting: "path")
      }
    }
    return (0..<channels).map { channel in
      stride(from: channel, to: frames.count, by: channels).map {
        frames[$0].isFinite ? frames[$0] : 0
      }
    }
  }

  private func converted(
    _ frames: [Double], _ channels: Int, from: Double, to: Double
  ) throws(SoundFileError) -> [Double] {
    let converter = try RateConverter(from: from, to: to, channelCount: channels)
    let frameCount = frames.count / channels
    let length = max(1, RateConverter.outputLength(frameCount, from: from, to: to))
    var result: [Double] = []
    result.reserveCapacity(length * channels)
    var block = [Double](repeating: 0, count: 4096 * channels)
    var fed = 0
    while fed < frameCount {
      let (taken, given) = converter.convert(
        frames, from: fed, frameCount: frameCount - fed, into: &block)
      fed += taken
      result += block.prefix(given * channels)
    }
    while case let given = converter.flush(into: &block), given > 0 {
      result += block.prefix(given * channels)
    }
    if result.isEmpty { result = [Double](repeating: 0, count: channels) }
    return result
  }
}

/// The response is multiplied by gain and mix beforehand, and what is pulled is added to its first
/// tap: the output of the convolver is `wet` times the convolved sound plus `dry` times what is
/// pulled. Once gain or mix has changed, both parts are corrected: y = a c + b x.
struct ConvolutionKernel: RenderKernel, ~Copyable {
  private var convolver: Convolver
  private let wet: Double
  private let dry: Double
  private var gain: GlidingControl
  private var mix: GlidingControl

  init(
    convolver: consuming Convolver, wet: Double, dry: Double, gain: GlidingControl,
    mix: GlidingControl
  ) {
    self.convolver = convolver
    self.wet = wet
    self.dry = dry
    self.gain = gain
    self.mix = mix
  }

  /// In stereo 190 ns for a response of 0.9 s, 850 ns for one of 30 s.
  var weight: Int { convolver.pathCount * (15 + convolver.length / 26_000) }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let input = context.input(0)
    let output = context.output(0)
    convolver.process(input, into: output)
    gain.follow()
    mix.follow()
    // Without a change the convolver's output is the result.
    var hasChanged = gain.hasChanged
    if mix.hasChanged { hasChanged = true }
    if gain.current * mix.current != wet { hasChanged = true }
    guard hasChanged else { return .ok }
    let starts = (gain, mix)
    for channel in 0..<output.channelCount {
      (gain, mix) = starts
      let source = input[channel]
      let sink = output[channel]
      for frame in 0..<context.frameCount {
        let mix = self.mix.next()
        let a = gain.next() * mix / wet
        let b = 1 - mix - a * dry
        sink[frame] =
          a == 0
          ? Float(b) * source[frame] : Float(a * Double(sink[frame]) + b * Double(source[frame]))
      }
    }
    output.markSounding()
    return .ok
  }
}
