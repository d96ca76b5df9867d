import AudioGraphs
import AudioTypes
import Glibc
import PatchGraph
import PatchRendering
import PatchSyntax
import RenderCore
import RenderHost
import SoundFiles

/// The figures of one render.
struct BenchFigures {
  var frameCount = 0
  var sampleRate = 1.0
  /// Frames of a full slice.
  var sliceFrames = 1
  /// Seconds, from the first slice to the last.
  var wall = 0.0
  /// Nanoseconds of each pull, in order.
  var pulls: [UInt64] = []
  /// When each pull ended, in nanoseconds of the monotonic clock.
  var ends: [UInt64] = []
  /// Nanoseconds spent between the pulls: reading ahead, the microphone.
  var betweenPulls: UInt64 = 0
  /// The peak resident memory of the process, in bytes.
  var memory = 0

  /// Nanoseconds of all pulls.
  var pulled: UInt64 { pulls.reduce(0, +) }
  /// The thread's processor time divided by the wall time, at most 1: below 1 if other programs took
  /// the processor.
  var processorShare = 1.0
  /// Nanoseconds of processor time of all pulls.
  var busy: Double { Double(pulled) * processorShare }
  /// Seconds of sound.
  var duration: Double { Double(frameCount) / sampleRate }
  /// Processor time of the pulls divided by the duration rendered.
  var load: Double { duration > 0 ? busy / 1e9 / duration : 0 }
  /// The duration of a full slice in nanoseconds.
  var budget: Double { Double(sliceFrames) / sampleRate * 1e9 }

  /// A percentile of the slice times in nanoseconds; `share` is 0 to 1. The last slice counts only
  /// if it is full or the only one.
  func slice(_ share: Double) -> UInt64 {
    let isWhole = frameCount.isMultiple(of: sliceFrames) || pulls.count == 1
    let sorted = pulls.prefix(isWhole ? pulls.count : pulls.count - 1).sorted()
    guard !sorted.isEmpty else { return 0 }
    let rank = Int((share * Double(sorted.count)).rounded(.up))
    return sorted[min(max(rank, 1), sorted.count) - 1]
  }
}

/// Renders a patch without any output and measures it.
struct BenchRun {
  let reading: PatchReader.Result
  let surroundings: PatchSurroundings
  let assumption: HardwareAssumption
  let hasTaps: Bool
  let input: String?
  let appearance: any Appearance

  /// The longest render without `--duration`, in seconds.
  static let longest = 10.0

  /// - Parameter meter: Measures each part; `nil` to render without clocks.
  mutating func measure(
    _ duration: Seconds?, _ meter: RenderMeter?, _ signals: Signals
  ) throws(CommandFailure) -> BenchFigures {
    let patch = PatchBuilder.build(reading, in: surroundings, device: .assumed(assumption))
    guard !patch.hasErrors, let graph = patch.graph else { throw appearance.failure(of: patch) }
    graph.setMeter(meter)
    let microphone = try microphone(graph)
    try appearance.initialize(patch)
    let live = try LivePatch.offline(patch, reading, surroundings, hasTaps: hasTaps)
    guard let session = graph.session else {
      throw CommandFailure(ExitStatus.wrongPatch, "the patch renders nothing")
    }
    let rate = session.configuration.sampleRate
    let end = try end(duration, patch, rate)
    let figures = try render(graph, session, live, end, microphone, signals)
    graph.close()
    return figures
  }

  /// The frames to render.
  private func end(
    _ duration: Seconds?, _ patch: BuiltPatch, _ rate: Double
  ) throws(CommandFailure) -> Int {
    if let duration { return try duration.renderedFrames(at: rate) }
    let request = PatchRender.Request(reading, in: surroundings, assuming: assumption)
    return min(try patch.ownFrameCount(request, at: rate) ?? .max, Int(Self.longest * rate))
  }

  private func microphone(_ graph: AudioGraph) throws(CommandFailure) -> Microphone? {
    guard let input else { return nil }
    // The grant has a format for the input as soon as the file's channels are assumed.
    guard let request = reading.document.map(PatchBuilder.request), request.wantsInput,
      let format = graph.grant.inputFormat
    else { throw CommandFailure.noMicrophone }
    do throws(SoundFileError) {
      let microphone = try OfflineMicrophone(
        SoundFileReader(path: input), sampleRate: format.sampleRate,
        channelCount: format.channelCount)
      return { (_: Int, buffer: ChannelBuffer) throws(ServiceError) in
        try microphone.fill(buffer)
      }
    } catch {
      throw CommandFailure(ExitStatus.unavailable, error.message, help: [error.help])
    }
  }

  /// Processor time of this thread in seconds.
  private static func processorTime() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  private func render(
    _ graph: AudioGraph, _ session: RenderSession, _ live: LivePatch?, _ end: Int,
    _ microphone: Microphone?, _ signals: Signals
  ) throws(CommandFailure) -> BenchFigures {
    var figures = BenchFigures()
    figures.sampleRate = session.configuration.sampleRate
    figures.sliceFrames = graph.grant.ioBufferFrames
    let count = end / figures.sliceFrames + 1
    figures.pulls.reserveCapacity(count)
    figures.ends.reserveCapacity(count)
    var spent: UInt64 = 0
    let processorBegin = Self.processorTime()
    let begin = monotonicNanoseconds()
    var last = begin
    let outcome = OfflineDevice(graph.grant, microphone: microphone).run(
      session, frameCount: end, services: graph.services,
      isCancelled: { signals.interruptedBy != nil },
      progress: { (_) throws(ServiceError) in
        let now = monotonicNanoseconds()
        let total = session.busyTime.spent
        figures.pulls.append(total - spent)
        figures.ends.append(now)
        figures.betweenPulls += max(now - last, total - spent) - (total - spent)
        spent = total
        graph.collect()
        try live?.planNextUpdates()
        last = monotonicNanoseconds()
      })
    figures.wall = Double(last - begin) / 1e9
    let taken = Self.processorTime() - processorBegin
    if figures.wall > 0 { figures.processorShare = min(1, taken / figures.wall) }
    figures.frameCount = outcome.frameCount
    var usage = rusage()
    unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
    figures.memory = usage.ru_maxrss * 1024
    if let error = outcome.errors.first {
      throw CommandFailure(ExitStatus.failedRunning, error.message)
    }
    let failed = session.failedSlices
    guard failed.count == 0 else {
      throw CommandFailure(
        ExitStatus.failedRunning,
        "\(counted(failed.count, "slice")) could not be rendered: \(failed.status)")
    }
    guard !figures.pulls.isEmpty || signals.interruptedBy != nil else {
      throw CommandFailure(
        ExitStatus.failedRunning, "nothing has been rendered: the sources have no frames",
        help: ["say how long: --duration SECONDS"])
    }
    return figures
  }
}
