import AudioGraphs
import AudioTypes
import AudioUnits
import BackEnds
import RenderCallbacks
import RenderCore
import RenderHost
import RenderTaps
import Synchronization

/// Measures the latency of a sound server by playing a sequence.
struct DoctorSound {
  /// The result of one run.
  struct Run {
    var grant: HardwareGrant
    var underruns: Int
    var scheduling: String
    var times: PullTimes?
    /// Frames from the render of the sequence to the render that hears it, one entry for each
    /// detection.
    var delays: [Double]
    /// How often the sequence was played within the recording.
    var tries: Int
  }

  let sink: String?
  /// The source that records; `nil` for the monitor of the sink.
  let source: String?
  /// The peak of the sequence, where 1 is full scale.
  let level: Float

  /// The period of the sequence in seconds.
  static let period = 1.5

  /// Plays for `seconds`, and records if `listening`.
  func run(
    bufferDuration: Double?, seconds: Double, listening: Bool, heardBy monitor: String? = nil
  ) throws(HardwareError) -> Run {
    let hardware = try BackEndCatalog.standard.open(
      HardwareRequest(
        wantsInput: listening, preferredIOBufferDuration: bufferDuration, sinkName: sink,
        sourceName: source ?? monitor, inputChannels: listening ? 1 : nil,
        streamName: "patchrun doctor"))
    let rate = hardware.grant.sampleRate
    let graph = AudioGraph(hardware: hardware)
    let heard = Recording()
    let log = PullLog(count: Int(seconds * rate / 16) + 4096, sampleRate: rate)
    do throws(Violation) {
      try build(graph, listening ? heard : nil, rate: rate)
      _ = graph.addRenderNotification { flags, time, _ in
        if flags.contains(.preRender) { log.note(time) }
      }
      try graph.initialize()
    } catch {
      throw HardwareError(.systemError, error.message)
    }
    do throws(GraphStartError) { try graph.start() } catch {
      switch error {
      case .refused(let violation): throw HardwareError(.systemError, violation.message)
      case .hardware(let error): throw error
      }
    }
    let begin = monotonicNanoseconds()
    while Double(monotonicNanoseconds() - begin) < seconds * 1e9, hardware.failure == nil {
      _ = hardware.waitForEvent(timeout: 0.05)
    }
    let (failure, statistics) = (hardware.failure, hardware.statistics)
    graph.stop()
    graph.close()
    if let failure { throw failure }
    var delays: [Double] = []
    var tries = 0
    if listening {
      let samples = heard.samples.withLock { $0 }
      var measurement = LoopMeasurement(MaximumLengthSequence())
      let step = Int(Self.period * rate)
      var first = 0
      while first + LoopMeasurement.window <= samples.count {
        tries += 1
        if let delay = measurement.delay(in: samples[first..<(first + LoopMeasurement.window)]) {
          delays.append(delay)
        }
        first += step
      }
    }
    return Run(
      grant: hardware.grant, underruns: statistics.underruns,
      scheduling: hardware.schedulingDescription,
      // The first second is left out, while the server fills its buffers.
      times: PullTimes(log.pulls(after: 1), sampleRate: rate), delays: delays, tries: tries)
  }

  private func build(_ graph: AudioGraph, _ heard: Recording?, rate: Double) throws(Violation) {
    let io = try graph.addNode(RemoteIO.description.component, name: "io")
    try graph.open()
    graph.defaultStreamFormat = StreamFormat(.float32, channels: 2, sampleRate: rate)
    let sequence = SampleStorageBox(MaximumLengthSequence().samples)
    let step = Int(Self.period * rate)
    let level = level
    let callback = ClosureCallback { _, time, _, frameCount, buffers in
      let first = Int(time.sampleTime)
      for channel in 0..<buffers.channelCount {
        let buffer = buffers[channel]
        for frame in 0..<frameCount {
          let place = (first + frame) % step
          buffer[frame] =
            place < MaximumLengthSequence.count ? sequence.storage[place] * level : 0
        }
      }
      return .ok
    }
    try graph.setInputCallback(callback, of: io)
    guard let heard else { return }
    let unit = try graph.unit(io)
    try unit.setProperty(.enableIO, .input, 1, to: .uint32(1))
    try unit.setProperty(
      .streamFormat, .output, 1,
      to: .streamFormat(StreamFormat(.float32, channels: 1, sampleRate: rate)))
    let tap = FrameTap { samples, frameCount in
      heard.samples.withLock { kept in
        kept += samples.prefix(frameCount).map { Float($0) }
      }
    }
    _ = try graph.addTap(tap, at: io, 1)
  }

  private final class Recording: Sendable {
    let samples = Mutex<[Float]>([])
  }
}

/// Samples that the render thread reads.
private final class SampleStorageBox: Sendable {
  let storage: SampleStorage
  init(_ samples: [Float]) { storage = SampleStorage(samples) }
}

/// The time stamps of the slices. The render thread writes them; another thread reads them after it
/// has ended.
@safe
private final class PullLog: @unchecked Sendable {
  // `@unchecked Sendable`: read once the thread that writes it has ended.
  private let times: UnsafeMutableBufferPointer<TimeStamp>
  /// In Hz.
  private let rate: Double
  private var count = 0

  init(count: Int, sampleRate: Double) {
    rate = sampleRate
    unsafe times = .allocate(capacity: count)
    unsafe times.initialize(repeating: TimeStamp(sampleTime: 0))
  }

  deinit { unsafe times.deallocate() }

  func note(_ time: TimeStamp) {
    guard count < (unsafe times.count) else { return }
    unsafe times[count] = time
    count += 1
  }

  /// The time (in seconds from the first pull) and the frame of each pull, without those in the
  /// first `seconds`. Slices of one pull follow each other without a gap and count once.
  func pulls(after seconds: Double) -> [(time: Double, frame: Double)] {
    guard count > 1 else { return [] }
    var found: [(time: Double, frame: Double)] = []
    let first = unsafe times[0]
    for index in 1..<count {
      let (before, now) = unsafe (times[index - 1], times[index])
      let time = Double(now.hostTime &- first.hostTime) / 1e9
      let step = Double(now.hostTime &- before.hostTime) / 1e9
      // The step equals the frames of the slice before, to a microsecond.
      let isSamePull =
        abs(step - (now.sampleTime - before.sampleTime) / rate) < 1e-6
      if time >= seconds, !isSamePull { found.append((time, now.sampleTime)) }
    }
    return found
  }
}
