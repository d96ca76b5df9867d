import Diagnostics
import PatchGraph
import PatchRendering
import SoundChecks
import SoundFiles
import SoundMeasures

/// A sound to compare, and its name.
struct ComparedSound {
  let name: String
  var sound: Sound
  /// The original rate in Hz; `nil` if the sound was not converted.
  private(set) var convertedFrom: Double?

  init(name: String, sound: Sound) {
    self.name = name
    self.sound = sound
  }

  static func isPatch(_ path: String) -> Bool { path == "-" || PatchFolder.isPatch(path) }

  /// Reads a sound file.
  init(file path: String) throws(CommandFailure) {
    do throws(SoundFileError) {
      self.init(name: path, sound: try Golden.read(path))
    } catch {
      throw CommandFailure(
        ExitStatus.unavailable, error.message,
        help: [
          error.help,
          error.kind == .notAudio ? "a patch is a file whose name ends in .json or .jsonc" : "",
        ])
    }
  }

  /// Keeps only one channel.
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
      throw CommandFailure(ExitStatus.unavailable, error.message, help: [error.help])
    }
  }
}

/// Renders patches to sounds in memory.
struct MemoryRenderer {
  let input: String?
  let duration: Seconds?
  let kernel: KernelOptions
  let native: NativeOptions
  let policy: PolicyOptions
  let hardware: HardwareOptions
  let appearance: any Appearance

  func name(of path: String) -> String { path == "-" ? "standard input" : path }

  /// Renders a patch; `nil` after a signal.
  ///
  /// - Parameter fallbackDuration: The duration in seconds of a patch that has no end of its own.
  func render(
    _ path: String, fallbackDuration: Double?, _ signals: Signals
  ) throws(CommandFailure) -> Sound? {
    let file = try policy.patchFile(path)
    let reading = file.read()
    let surroundings = policy.surroundings(of: file, native.nativeCode)
    var request = PatchRender.Request(reading, in: surroundings, assuming: hardware.assumption)
    let reader = try SoundFileReader.opened(asInput: input)
    if request.assumption.inputChannels == nil {
      request.assumption.inputChannels = reader?.channelCount
    }
    let patch = PatchBuilder.build(
      reading, in: surroundings, device: .assumed(request.assumption))
    appearance.report(patch)
    guard !patch.hasErrors, let document = patch.document else {
      throw .reported(ExitStatus.wrongPatch)
    }
    try native.nativeCode.check(patch, appearance, quiet: false)
    // Only one of the two patches may have a microphone.
    if PatchBuilder.request(of: document).wantsInput { request.input = reader }
    let outcome: PatchRender.Outcome
    do throws(PatchRender.Failure) {
      let own = try PatchRender.playingTime(request)
      request.duration =
        duration?.value ?? (own == nil && request.input == nil ? fallbackDuration : nil)
      outcome = try PatchRender.run(
        request, listeningAt: [.device], isCancelled: { signals.interruptedBy != nil })
    } catch {
      throw failure(error, path)
    }
    guard signals.interruptedBy == nil else { return nil }
    _ = try duration?.renderedFrames(at: outcome.sampleRate)
    return outcome.sounds[.device]
  }

  private func failure(_ failure: PatchRender.Failure, _ path: String) -> CommandFailure {
    switch failure {
    case .wrong(let patch): return appearance.failure(of: patch)
    case .refused(let violation, let patch): return appearance.report(violation, of: patch)
    case .endless:
      return CommandFailure(
        ExitStatus.wrongUsage, "the patch has no end of its own",
        help: ["say how long: --duration SECONDS"])
    case .noPlace:
      return CommandFailure(
        ExitStatus.wrongUsage, "nothing feeds the output of \(quoted(name(of: path)))",
        help: ["what a patch plays is compared: connect something to its output unit"])
    case .restart(let text), .failed(let text):
      return CommandFailure(ExitStatus.failedRunning, text)
    }
  }
}
