import AudioGraphs
import AudioTypes
import Diagnostics
public import PatchGraph
public import PatchSyntax
import RenderCore
import RenderHost
import RenderTaps
public import Responses

/// A measured response, and the tones that it was measured with.
public struct MeasuredResponse: Sendable {
  public var response: Response
  public var tones: ToneSet
}

/// Measures responses of a patch. Each measurement builds a new graph.
public struct ResponseBench: Sendable {
  /// The patch, without taps and timeline.
  public let reading: PatchReader.Result
  public let surroundings: PatchSurroundings
  public let device: PatchDevice

  public init(
    reading: PatchReader.Result, surroundings: PatchSurroundings, device: PatchDevice
  ) {
    self.reading = reading
    self.surroundings = surroundings
    self.device = device
  }

  func build() throws(ResponseFailure) -> (patch: BuiltPatch, graph: AudioGraph) {
    let patch = PatchBuilder.build(reading, in: surroundings, device: device)
    guard !patch.hasErrors, let graph = patch.graph else { throw .wrongPatch(patch) }
    return (patch, graph)
  }

  func initialize(_ graph: AudioGraph, _ patch: BuiltPatch) throws(ResponseFailure) {
    do throws(Violation) { try graph.initialize() } catch {
      throw .refused(error, patch)
    }
  }

  // MARK: Measuring

  /// Measures at a peak level and 20 dB below; `nil` where the measurement was cancelled.
  ///
  /// - Parameters:
  ///   - fromChannel: The channel of the input to play into, from 0; `nil` for all.
  ///   - toChannel: The channel of the output to measure, from 0; `nil` for all.
  ///   - peak: The peak of the louder test signal, as a linear amplitude.
  /// - Throws: A misuse where a channel does not exist or the two rates have no common period.
  public func measure(
    _ places: ResponsePlaces, fromChannel: Int?, toChannel: Int?, pointsPerOctave: Int,
    peak: Double, isCancelled: () -> Bool
  ) throws(ResponseFailure) -> MeasuredResponse? {
    try check(fromChannel, places.input, places.fromName, "--from-channel")
    try check(toChannel, places.output, places.toName, "--to-channel")
    guard
      let tones = ToneSet(
        from: places.input.sampleRate, to: places.output.sampleRate,
        pointsPerOctave: pointsPerOctave)
    else {
      throw ResponseFailure.misuse(
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
        isCancelled: isCancelled)
      if isCancelled() { return nil }
      collectors.append(collector)
    }
    guard
      let response = Response(
        tones, channels: channels, loud: collectors[0], soft: collectors[1], peak: peak)
    else {
      throw ResponseFailure.failed(
        "\(quoted(places.toName)) is never rendered",
        help: ["what feeds it has to be pulled by the output unit"])
    }
    return MeasuredResponse(response: response, tones: tones)
  }

  private func check(
    _ channel: Int?, _ format: StreamFormat, _ name: String, _ option: String
  ) throws(ResponseFailure) {
    guard let channel, !(0..<format.channelCount).contains(channel) else { return }
    throw ResponseFailure.misuse(
      "\(quoted(name)) has no channel \(channel) (\(option))",
      help: [range(format.channelCount, "channel")])
  }

  private func run(
    _ places: ResponsePlaces, _ samples: [Float], _ channel: Int?, _ collector: PeriodCollector,
    seconds: Double, isCancelled: () -> Bool
  ) throws(ResponseFailure) {
    let (patch, graph) = try build()
    do throws(Violation) {
      try places.path.play(ToneCallback(samples, channel: channel), in: graph)
      if case .output(let node, let bus) = places.path.exit {
        try graph.addTap(FrameTap { collector.add($0, $1) }, at: node, bus)
      }
    } catch {
      throw .refused(error, patch)
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
      isCancelled: { collector.isDone || isCancelled() },
      progress: { _ in graph.collect() },
      sink: { bytes in
        guard isDevice else { return }
        decoder?.decode(bytes.span, into: &decoded)
        collector.add(decoded.map { $0.isFinite ? $0 : 0 }, bytes.count / bytesPerFrame)
      })
    if let error = outcome.errors.first {
      throw ResponseFailure.failed(error.message)
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
