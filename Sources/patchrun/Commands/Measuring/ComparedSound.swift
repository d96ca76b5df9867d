import AudioGraphs
import AudioTypes
import Diagnostics
import PatchGraph
import PatchSyntax
import RenderCore
import RenderHost
import SoundFiles
import SoundMeasures

/// A sound that is compared, and what it is called.
struct ComparedSound {
  let name: String
  var sound: Sound
  /// The rate that it had, in Hz, where it has been converted.
  private(set) var convertedFrom: Double?

  init(name: String, sound: Sound) {
    self.name = name
    self.sound = sound
  }

  static func isPatch(_ path: String) -> Bool { path == "-" || PatchFolder.isPatch(path) }

  /// Reads a sound file.
  init(file path: String) throws(CommandFailure) {
    do throws(SoundFileError) {
      let reader = try SoundFileReader(path: path)
      var channels = [[Float]](repeating: [], count: reader.channelCount)
      for index in channels.indices { channels[index].reserveCapacity(reader.frameCount) }
      var block = [Float](repeating: 0, count: 8192 * reader.channelCount)
      while case let count = try reader.read(into: &block), count > 0 {
        for channel in channels.indices {
          for frame in 0..<count {
            channels[channel].append(block[frame * channels.count + channel])
          }
        }
      }
      self.init(name: path, sound: Sound(sampleRate: reader.sampleRate, channels: channels))
    } catch {
      throw CommandFailure(
        ExitStatus.worldRefused, error.message,
        help: [
          error.help,
          error.kind == .notAudio ? "a patch is a file whose name ends in .json or .jsonc" : "",
        ])
    }
  }

  /// Leaves one of its channels.
  mutating func choose(_ channel: Int) throws(CommandFailure) {
    guard sound.channels.indices.contains(channel) else {
      throw CommandFailure(
        ExitStatus.wrongUsage, "\(quoted(name)) has no channel \(channel) (--channel)",
        help: ["it has \(counted(sound.channelCount, "channel")), the first is 0"])
    }
    sound = sound.channel(channel)
  }

  /// Converts it to another sample rate, in Hz.
  mutating func convert(to rate: Double) throws(CommandFailure) {
    guard sound.sampleRate != rate, sound.channelCount > 0 else { return }
    let count = sound.channelCount
    do throws(SoundFileError) {
      let converter = try RateConverter(
        from: sound.sampleRate, to: rate, channelCount: count)
      var input = [Double](repeating: 0, count: 4096 * count)
      var output = input
      var channels = [[Float]](repeating: [], count: count)
      func take(_ frames: Int) {
        for channel in channels.indices {
          for frame in 0..<frames {
            channels[channel].append(Float(output[frame * count + channel]))
          }
        }
      }
      for start in stride(from: 0, to: sound.frameCount, by: 4096) {
        let length = min(4096, sound.frameCount - start)
        for channel in 0..<count {
          for frame in 0..<length {
            input[frame * count + channel] = Double(sound.channels[channel][start + frame])
          }
        }
        var done = 0
        while done < length {
          let (taken, given) = converter.convert(
            input, from: done, frameCount: length - done, into: &output)
          done += taken
          take(given)
        }
      }
      while case let given = converter.flush(into: &output), given > 0 { take(given) }
      convertedFrom = sound.sampleRate
      sound = Sound(sampleRate: rate, channels: channels)
    } catch {
      throw CommandFailure(ExitStatus.worldRefused, error.message, help: [error.help])
    }
  }
}

/// Renders patches to sounds in memory.
struct ComparisonBench {
  let input: String?
  let duration: Seconds?
  let kernel: KernelOptions
  let native: NativeOptions
  let policy: PolicyOptions
  let hardware: HardwareOptions
  let appearance: AppearanceOptions

  func name(of path: String) -> String { path == "-" ? "standard input" : path }

  /// What a patch plays; `nil` where a signal has come in between.
  ///
  /// - Parameter lasting: How long it is where it does not end by itself, in seconds.
  func render(
    _ path: String, lasting: Double?, _ signals: Signals
  ) throws(CommandFailure) -> Sound? {
    let file = try PatchFile(path, files: policy.forNamed(path), limits: policy.limits)
    var reading = file.read()
    let reader = try SoundFileReader.opened(asInput: input)
    var assumption = hardware.assumption
    if assumption.inputChannels == nil { assumption.inputChannels = reader?.channelCount }
    let surroundings = policy.surroundings(of: file, native.nativeCode)
    var patch = PatchBuilder.build(reading, in: surroundings, device: .assumed(assumption))
    appearance.report(patch)
    guard !patch.hasErrors, patch.graph != nil else { throw .reported(ExitStatus.wrongPatch) }
    try native.check(patch, appearance, quiet: false)
    // No tap writes its file here.
    reading.document = patch.document
    reading.document?.taps = []
    patch = PatchBuilder.build(reading, in: surroundings, device: .assumed(assumption))
    guard !patch.hasErrors, let graph = patch.graph, let document = reading.document else {
      throw appearance.failure(of: patch)
    }
    let microphone = try microphone(reader, graph, PatchBuilder.request(of: document))
    try appearance.prepare(patch, reading, surroundings)
    guard let session = graph.session, let format = session.configuration.device,
      session.configuration.client != nil
    else {
      throw CommandFailure(
        ExitStatus.wrongUsage, "nothing feeds the output of \(quoted(name(of: path)))",
        help: ["what a patch plays is compared: connect something to its output unit"])
    }
    let rate = session.configuration.sampleRate
    let own = [graph.duration, microphone?.frameCount].compactMap { $0 }.max()
    guard
      let frames = duration?.frames(at: rate) ?? own ?? lasting.map({ Int(($0 * rate).rounded()) })
    else {
      throw CommandFailure(
        ExitStatus.wrongUsage, "the patch has no end of its own",
        help: ["say how long: --duration SECONDS"])
    }
    return try play(graph, session, format, frames, microphone, signals)
  }

  private func play(
    _ graph: AudioGraph, _ session: RenderSession, _ format: StreamFormat, _ frameCount: Int,
    _ microphone: OfflineMicrophone?, _ signals: Signals
  ) throws(CommandFailure) -> Sound? {
    var heard: Microphone?
    if let microphone {
      heard = { (_: Int, buffer: ChannelBuffer) throws(ServiceError) in
        try microphone.fill(buffer)
      }
    }
    var decoder = DeviceDecoder(format)
    var samples: [Double] = []
    let count = max(1, format.channelCount)
    var channels = [[Float]](repeating: [], count: count)
    let outcome = OfflineDevice(graph.grant, microphone: heard).run(
      session, frameCount: frameCount, services: graph.services,
      isCancelled: { signals.interruptedBy != nil }, progress: { _ in graph.collect() },
      sink: { bytes in
        decoder.decode(bytes, into: &samples)
        let frames = bytes.count / max(1, Int(format.bytesPerFrame))
        for channel in 0..<count {
          for frame in 0..<frames {
            channels[channel].append(Float(samples[frame * count + channel]))
          }
        }
      })
    if signals.interruptedBy != nil { return nil }
    if let error = (outcome.errors + graph.serviceErrors).first {
      throw CommandFailure(ExitStatus.failedRunning, error.message)
    }
    let failed = session.failedSlices
    if failed.count > 0 {
      throw CommandFailure(
        ExitStatus.failedRunning,
        "\(counted(failed.count, "slice")) could not be rendered: \(failed.status)")
    }
    return Sound(sampleRate: session.configuration.sampleRate, channels: channels)
  }

  private func microphone(
    _ reader: SoundFileReader?, _ graph: AudioGraph, _ request: SessionRequest
  ) throws(CommandFailure) -> OfflineMicrophone? {
    // One of two patches may have none.
    guard let reader, request.wantsInput, let format = graph.grant.inputFormat else { return nil }
    do throws(SoundFileError) {
      return try OfflineMicrophone(
        reader, sampleRate: format.sampleRate, channelCount: format.channelCount)
    } catch {
      throw CommandFailure(ExitStatus.worldRefused, error.message, help: [error.help])
    }
  }
}
