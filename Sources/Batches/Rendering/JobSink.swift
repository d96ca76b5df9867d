import AudioTypes
import PatchSyntax
import RenderCore
import RenderHost
import RenderTaps
import SoundFiles
import SoundMeasures

/// Takes the rendered samples of a job: measures them and writes the file. The sound is kept to the
/// end if it has to be normalized, or if more than peak and loudness is measured.
///
/// Used on the thread that renders.
struct JobSink: ~Copyable {
  private let job: BatchJob
  private let format: StreamFormat?
  private let writer: OutputWriter?
  private var decoder: DeviceDecoder?
  private var loudness: LoudnessState?
  private var samples: [Double] = []
  private var channels: [[Float]] = []
  /// Whether the sound is kept to the end.
  private let keeps: Bool
  /// The sound on the disk, if it is too long for memory.
  private var spooled: SpooledSound?

  /// - Parameter format: The format of the device; `nil` if nothing is played.
  init(
    _ job: BatchJob, _ format: StreamFormat?, frameCount: Int, _ writer: OutputWriter?,
    mostSamples: Int
  ) throws(JobFault) {
    self.job = job
    self.format = format
    self.writer = writer
    keeps = job.normalizing != nil || !job.measures.isEmpty
    guard let format else {
      guard writer == nil, !keeps else {
        throw JobFault(
          BatchRules.output, "nothing feeds the output of the patch, so that it has no sound",
          help: ["name a bus or a tap as the output: { \"mixer\": \"mix.wav\" }"])
      }
      return
    }
    decoder = DeviceDecoder(format)
    if (1...LoudnessState.mostChannels).contains(format.channelCount),
      LoudnessState.rates.contains(format.sampleRate)
    {
      loudness = LoudnessState(
        StreamFormat(.float32, channels: format.channelCount, sampleRate: format.sampleRate),
        dualMono: false, truePeak: false)
    }
    try writer?.open(format)
    guard keeps else { return }
    if frameCount * format.channelCount > mostSamples, let writer {
      guard job.measures.isEmpty else {
        throw JobFault(
          BatchRules.render, "a sound of \(frameCount) frames is too long to be measured in memory",
          help: ["leave \"measure\" out; its loudness and its peak are in the record all the same"])
      }
      do throws(RawFile.Failure) {
        spooled = try SpooledSound(
          writer.path + ".pass.unfinished", channelCount: format.channelCount,
          sampleRate: format.sampleRate)
      } catch {
        throw JobFault(BatchRules.output, "the sound cannot be kept: \(error.message)")
      }
      return
    }
    channels = Array(repeating: [], count: format.channelCount)
    for channel in channels.indices { channels[channel].reserveCapacity(frameCount) }
  }

  /// The first frame with a sample that is not finite.
  var firstBadFrame: Int? { decoder?.firstBadFrame }

  /// Takes interleaved samples in the format of the device.
  mutating func take(_ bytes: ArraySlice<UInt8>) {
    guard let format else { return }
    decoder?.decode(bytes.span, into: &samples)
    let frameCount = bytes.count / Int(format.bytesPerFrame)
    if loudness?.add(samples, frameCount: frameCount) == false { loudness = nil }
    guard keeps else {
      writer?.write(samples, frameCount: frameCount)
      return
    }
    guard spooled == nil else {
      spooled?.add(samples, frameCount: frameCount)
      return
    }
    let count = channels.count
    for channel in channels.indices {
      for frame in 0..<frameCount {
        channels[channel].append(Float(samples[frame * count + channel]))
      }
    }
  }

  /// Finishes the file and adds the measurements to the record.
  mutating func finish(into record: inout BatchRecord) throws(JobFault) {
    guard let format, let decoder else { return }
    record.peak = decoder.peak > 0 ? 20 * renderLog10(decoder.peak) : nil
    record.loudness = loudness?.reading.integrated
    if spooled != nil {
      try finishSpooled(into: &record)
    } else if keeps {
      var sound = Sound(sampleRate: format.sampleRate, channels: channels)
      channels = []
      if let wanted = job.normalizing { normalize(&sound, to: wanted, &record) }
      var measured: [(String, SoundMeasurement)] = []
      for name in job.measures {
        if let measurement = SoundMeasurement(rawValue: name) {
          measured.append((name, measurement))
        }
      }
      if !measured.isEmpty {
        record.more.append(
          .init(
            "measured",
            .object(measured.map { .init($0.0, $0.1.json(of: sound)) })))
      }
      write(sound)
    }
    if let fault = Self.fault(try writer?.finish()) { record.diagnostics.append(fault) }
  }

  /// Removes the temporary file.
  func discard() { spooled?.remove() }

  private mutating func finishSpooled(into record: inout BatchRecord) throws(JobFault) {
    guard let wanted = job.normalizing, let writer else { return }
    do throws(RawFile.Failure) {
      guard let peak = try spooled?.truePeak() else { return }
      let loudness = record.loudness.flatMap { $0.isFinite ? $0 : nil }
      let normalization = Normalization(loudness: loudness, truePeak: peak, to: wanted)
      note(normalization, &record)
      try spooled?.read(times: Float(normalization.factor)) { writer.write($0, count: $1) }
    } catch {
      throw JobFault(BatchRules.output, "the sound cannot be kept: \(error.message)")
    }
  }

  private func note(_ normalization: Normalization, _ record: inout BatchRecord) {
    record.loudness = normalization.loudness.map { $0 + normalization.gain }
    record.peak = record.peak.map { $0 + normalization.gain }
    record.more.append(.init("normalized", normalization.json))
    if let fault = normalization.fault { record.diagnostics.append(fault) }
  }

  private func normalize(
    _ sound: inout Sound, to wanted: BatchJob.Normalizing, _ record: inout BatchRecord
  ) {
    let normalization = Normalization(sound, to: wanted)
    let factor = Float(normalization.factor)
    for channel in sound.channels.indices {
      for frame in sound.channels[channel].indices { sound.channels[channel][frame] *= factor }
    }
    note(normalization, &record)
  }

  private func write(_ sound: Sound) {
    guard let writer else { return }
    let block = 4096
    let count = sound.channelCount
    var interleaved = [Float](repeating: 0, count: block * count)
    var start = 0
    while start < sound.frameCount {
      let length = min(block, sound.frameCount - start)
      for channel in 0..<count {
        for frame in 0..<length {
          interleaved[frame * count + channel] = sound.channels[channel][start + frame]
        }
      }
      writer.write(interleaved, count: length * count)
      start += length
    }
  }

  /// The warning about clipped samples; `nil` for none.
  static func fault(_ clipping: Clipping?) -> JobFault? {
    guard let clipping else { return nil }
    return JobFault(
      code: BatchRules.render.code.rawValue, severity: .warning,
      "the result is louder than full scale: \(clipping.sampleCount) samples are cut off",
      help: ["lower a volume, or \"format\": \"float32\" holds what is above full scale"])
  }
}
