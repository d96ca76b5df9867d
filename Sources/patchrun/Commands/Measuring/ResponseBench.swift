import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import PatchGraph
import PatchSyntax
import RenderCore
import RenderHost
import RenderTaps
import Responses

/// What has been measured, and of what.
struct MeasuredResponse {
  var response: Response
  var tones: ToneSet
}

/// Measures responses of a patch: builds its graph for each measurement anew.
struct ResponseBench {
  /// Without taps and timeline.
  let reading: PatchReader.Result
  let surroundings: PatchSurroundings
  let device: PatchDevice
  let appearance: AppearanceOptions

  func build() throws(CommandFailure) -> (patch: BuiltPatch, graph: AudioGraph) {
    let patch = PatchBuilder.build(reading, in: surroundings, device: device)
    guard !patch.hasErrors, let graph = patch.graph else { throw appearance.failure(of: patch) }
    return (patch, graph)
  }

  func initialize(_ graph: AudioGraph, _ patch: BuiltPatch) throws(CommandFailure) {
    do throws(Violation) { try graph.initialize() } catch {
      throw appearance.report(error, of: patch)
    }
  }

  // MARK: Measuring

  /// Measures at a level and 20 dB below; `nil` where a signal has come in between.
  func measure(
    _ places: ResponsePlaces, fromChannel: Int?, toChannel: Int?, pointsPerOctave: Int,
    peak: Double, _ signals: Signals
  ) throws(CommandFailure) -> MeasuredResponse? {
    try check(fromChannel, places.input, places.fromName, "--from-channel")
    try check(toChannel, places.output, places.toName, "--to-channel")
    guard
      let tones = ToneSet(
        from: places.input.sampleRate, to: places.output.sampleRate,
        pointsPerOctave: pointsPerOctave)
    else {
      throw CommandFailure(
        ExitStatus.wrongUsage,
        "between \(rateText(places.input.sampleRate)) and "
          + "\(rateText(places.output.sampleRate)) Hz there is no period to measure with",
        help: ["both rates have to be whole numbers, from 100 Hz to 1.6 MHz"])
    }
    let channels = toChannel.map { [$0] } ?? Array(0..<places.output.channelCount)
    var collectors: [PeriodCollector] = []
    for level in [peak, peak / 10] {
      let collector = PeriodCollector(tones, channels: channels, of: places.output.channelCount)
      try run(
        places, tones.samples(peak: level), fromChannel, collector, seconds: 50 * tones.period,
        signals)
      if signals.interruptedBy != nil { return nil }
      collectors.append(collector)
    }
    guard
      let response = Response(
        tones, channels: channels, loud: collectors[0], soft: collectors[1], peak: peak)
    else {
      throw CommandFailure(
        ExitStatus.failedRunning, "\(quoted(places.toName)) is never rendered",
        help: ["what feeds it has to be pulled by the output unit"])
    }
    return MeasuredResponse(response: response, tones: tones)
  }

  private func check(
    _ channel: Int?, _ format: StreamFormat, _ name: String, _ option: String
  ) throws(CommandFailure) {
    guard let channel, !(0..<format.channelCount).contains(channel) else { return }
    throw CommandFailure(
      ExitStatus.wrongUsage, "\(quoted(name)) has no channel \(channel) (\(option))",
      help: [range(format.channelCount, "channel")])
  }

  private func run(
    _ places: ResponsePlaces, _ samples: [Float], _ channel: Int?, _ collector: PeriodCollector,
    seconds: Double, _ signals: Signals
  ) throws(CommandFailure) {
    let (patch, graph) = try build()
    do throws(Violation) {
      try places.path.play(ToneCallback(samples, channel: channel), in: graph)
      if case .output(let node, let bus) = places.path.exit {
        try graph.addTap(FrameTap { collector.add($0, $1) }, at: node, bus)
      }
    } catch {
      throw appearance.report(error, of: patch)
    }
    try initialize(graph, patch)
    guard let session = graph.session else { return }
    var decoder = session.configuration.device.map { DeviceDecoder($0) }
    var decoded: [Double] = []
    let isDevice = places.path.exit == .device
    let bytesPerFrame = Int(session.configuration.device?.bytesPerFrame ?? 1)
    let outcome = OfflineDevice(
      graph.grant, microphone: microphone(places, samples, channel)
    ).run(
      session, frameCount: Int(seconds * session.configuration.sampleRate),
      services: graph.services,
      isCancelled: { collector.isDone || signals.interruptedBy != nil },
      progress: { _ in graph.collect() },
      sink: { bytes in
        guard isDevice else { return }
        decoder?.decode(bytes, into: &decoded)
        collector.add(decoded.map { $0.isFinite ? $0 : 0 }, bytes.count / bytesPerFrame)
      })
    if let error = outcome.errors.first {
      throw CommandFailure(ExitStatus.failedRunning, error.message)
    }
  }

  private func microphone(
    _ places: ResponsePlaces, _ samples: [Float], _ channel: Int?
  ) -> Microphone? {
    guard case .microphone? = places.path.entries.first else { return nil }
    let count = places.input.channelCount
    return { position, buffer in
      for index in buffer.indices {
        let isHeard = channel.map { $0 == index % count } ?? true
        buffer[index] = isHeard ? samples[(position + index / count) % samples.count] : 0
      }
    }
  }
}

extension AppearanceOptions {
  /// Prints what is wrong with a patch, for a command that cannot go on.
  func failure(of patch: BuiltPatch) -> CommandFailure {
    report(patch)
    return .reported(ExitStatus.wrongPatch)
  }
}
