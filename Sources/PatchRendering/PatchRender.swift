import AudioGraphs
public import AudioTypes
public import PatchGraph
public import PatchSyntax
import RenderCore
import RenderHost
import RenderTaps
public import SoundFiles
public import SoundMeasures
import Synchronization

/// Renders a patch in memory, and returns the sound at its buses. The patch's taps are left out, so
/// no file is written.
public struct PatchRender: Sendable {
  /// A place whose sound is collected.
  public enum Place: Hashable, Sendable {
    /// The output unit's signal to the device.
    case device
    /// The name of a node, such as `strip/eq` in a sub-graph, and the number of its output.
    case output(String, Int)
  }

  /// What to render.
  public struct Request {
    public var reading: PatchReader.Result
    public var surroundings: PatchSurroundings
    public var assumption: HardwareAssumption
    /// The length of the render in seconds; `nil` to render until the patch ends.
    public var duration: Double?
    /// The sound file that the microphone hears.
    public var input: SoundFileReader?
    /// The patch to change to during the render, and the time of the change in seconds.
    public var change: (reading: PatchReader.Result, time: Double)?
    /// The maximum number of samples to collect, over all channels of all places.
    public var maximumSamples = 1 << 28

    public init(
      _ reading: PatchReader.Result, in surroundings: PatchSurroundings,
      assuming assumption: HardwareAssumption = HardwareAssumption()
    ) {
      self.reading = reading
      self.surroundings = surroundings
      self.assumption = assumption
    }
  }

  /// The result of a render.
  public struct Outcome: Sendable {
    public var sounds: [Place: Sound] = [:]
    /// How long rendering took, in seconds.
    public var seconds = 0.0
    public var frameCount = 0
    public var sampleRate = 0.0
  }

  /// Why a patch could not be rendered.
  public enum Failure: Error, Sendable {
    /// The patch, or the one to change to, has errors.
    case wrong(BuiltPatch)
    /// The graph of the patch could not be initialized.
    case refused(Violation, BuiltPatch)
    /// The patch has no end of its own, and no duration was given.
    case endless
    /// There is no such bus; a sentence says what there is instead.
    case noPlace(Place, String)
    /// A change that needs a restart of the graph.
    case restart(String)
    /// Any other reason: a sentence that starts in lower case.
    case failed(String)

    /// A sentence that starts in lower case, without its period.
    public var message: String {
      switch self {
      case .wrong(let patch): LivePatch.Refusal.wrong(patch).message
      case .refused(let violation, _): violation.message
      case .endless: "the patch has no end of its own"
      case .noPlace(_, let text), .restart(let text), .failed(let text): text
      }
    }

    init(_ refusal: LivePatch.Refusal) {
      switch refusal {
      case .wrong(let patch): self = .wrong(patch)
      case .restart(_, let changes):
        self = .restart(changes.first.map { "\($0)" } ?? "the graph has to begin again")
      }
    }
  }

  /// How long the patch plays by itself, in seconds; `nil` for a patch without an end.
  public static func playingTime(_ request: Request) throws(Failure) -> Double? {
    let (patch, graph) = try build(request)
    let live = try initialize(graph, patch, request)
    do throws(LivePatch.Refusal) { try live?.passUpdates() } catch { throw Failure(error) }
    guard let rate = graph.session?.configuration.sampleRate, let frames = graph.duration else {
      return nil
    }
    return Double(frames) / rate
  }

  private static func build(
    _ request: Request
  ) throws(Failure) -> (BuiltPatch, AudioGraph) {
    var reading = request.reading
    let device = PatchDevice.assumed(request.assumption)
    var patch = PatchBuilder.build(reading, in: request.surroundings, device: device)
    guard !patch.hasErrors else { throw .wrong(patch) }
    if patch.document?.taps.isEmpty == false {
      // `patch.document` includes the sub-graphs, whose taps would write files too.
      reading.document = patch.document
      reading.document?.taps = []
      patch = PatchBuilder.build(reading, in: request.surroundings, device: device)
    }
    guard !patch.hasErrors, let graph = patch.graph else { throw .wrong(patch) }
    return (patch, graph)
  }

  /// Initializes the graph. Returns the patch that plays, which makes the updates of the timeline; `nil` for a
  /// patch that does not change.
  private static func initialize(
    _ graph: AudioGraph, _ patch: BuiltPatch, _ request: Request
  ) throws(Failure) -> LivePatch? {
    do throws(Violation) { try graph.initialize() } catch { throw .refused(error, patch) }
    guard !patch.updates.isEmpty || request.change != nil else { return nil }
    var reading = request.reading
    if patch.document?.taps.isEmpty == true, reading.document?.taps.isEmpty == false {
      reading.document = patch.document
    }
    let live = LivePatch(patch, from: reading, in: request.surroundings, hasTaps: false)
    do throws(LivePatch.Refusal) {
      if let change = request.change { try live?.play(change.reading, at: change.time) }
      try live?.planFirstUpdates()
    } catch { throw Failure(error) }
    return live
  }

  /// Renders the patch.
  ///
  /// - Parameter isCancelled: Asked before each slice. A cancelled render returns what it has so
  ///   far.
  public static func run(
    _ request: Request, listeningAt places: Set<Place>, isCancelled: () -> Bool = { false }
  ) throws(Failure) -> Outcome {
    let (patch, graph) = try build(request)
    var collectors: [Place: SampleCollector] = [:]
    for place in places {
      guard case .output(let name, let bus) = place else { continue }
      let node = try node(name, bus, place, graph)
      let collector = SampleCollector()
      do throws(Violation) {
        try graph.addTap(SampleTap { collector.add($0, $1) }, at: node, bus)
      } catch {
        throw .noPlace(place, error.message)
      }
      collectors[place] = collector
    }
    let live = try initialize(graph, patch, request)
    guard let session = graph.session else { throw .failed("the patch has no output unit") }
    let rate = session.configuration.sampleRate
    let microphone = try microphone(request, graph, rate)
    var length = request.duration.map { Int(($0 * rate).rounded()) }
    if length == nil {
      let own = try patch.frameCount(request, at: rate)
      length = own.map { max($0, microphone?.frameCount ?? 0) } ?? microphone?.frameCount
    }
    guard let frameCount = length else { throw .endless }
    let formats = graph.configurations
    var channels: [Place: (count: Int, rate: Double)] = [:]
    for (place, _) in collectors {
      guard case .output(let name, let bus) = place,
        let id = try? node(name, bus, place, graph), let format = formats[id]?.outputs[bus].format
      else { continue }
      channels[place] = (format.channelCount, format.sampleRate)
    }
    let device = session.configuration.device
    let isHeard = places.contains(.device)
    if isHeard {
      guard session.configuration.client != nil, let device else {
        throw .noPlace(.device, "nothing feeds the output of the patch")
      }
      channels[.device] = (device.channelCount, rate)
    }
    let samples = channels.values.reduce(0.0) {
      $0 + Double(frameCount) / rate * $1.rate * Double($1.count)
    }
    guard samples <= Double(request.maximumSamples) else {
      throw .failed(
        "the sound of \(Int(Double(frameCount) / rate)) s at so many buses does not fit into memory"
      )
    }
    var heard = SampleCollector.Lanes()
    if isHeard, let device {
      heard = SampleCollector.Lanes(channelCount: device.channelCount, capacity: frameCount)
    }
    var decoder = device.map { DeviceDecoder($0) }
    let bytesPerFrame = Int(device?.bytesPerFrame ?? 1)
    var decoded: [Double] = []
    var hears: Microphone?
    if let microphone {
      hears = { (_: Int, buffer: ChannelBuffer) throws(ServiceError) in
        try microphone.fill(buffer)
      }
    }
    let begin = monotonicNanoseconds()
    let outcome = OfflineDevice(graph.grant, microphone: hears).run(
      session, frameCount: frameCount, services: graph.services, isCancelled: isCancelled,
      progress: { (_) throws(ServiceError) in
        graph.collect()
        try live?.planNextUpdates()
      },
      sink: { bytes in
        guard isHeard else { return }
        decoder?.decode(bytes.span, into: &decoded)
        heard.add(decoded, bytes.count / bytesPerFrame)
      })
    let end = monotonicNanoseconds()
    if let error = (outcome.errors + graph.serviceErrors).first { throw .failed(error.message) }
    let failed = session.failedSlices
    if failed.count > 0 {
      throw .failed("\(failed.count) slices could not be rendered: \(failed.status)")
    }
    var result = Outcome()
    result.seconds = Double(end - begin) / 1e9
    result.frameCount = outcome.frameCount
    result.sampleRate = rate
    if isHeard { result.sounds[.device] = Sound(sampleRate: rate, channels: heard.channels) }
    for (place, collector) in collectors {
      let (count, rate) = channels[place] ?? (1, rate)
      result.sounds[place] = Sound(sampleRate: rate, channels: collector.channels(count))
    }
    return result
  }

  private static func node(
    _ name: String, _ bus: Int, _ place: Place, _ graph: AudioGraph
  ) throws(Failure) -> NodeID {
    var names: [String] = []
    for node in graph.nodes {
      guard let found = try? graph.nodeInfo(node).name else { continue }
      guard found == name else {
        names.append(found)
        continue
      }
      let count = (try? graph.unit(node).elementCount(.output)) ?? 0
      guard bus < count else {
        throw .noPlace(
          place,
          count == 1 ? "its only output is 0" : "its outputs are 0 to \(count - 1)")
      }
      return node
    }
    throw .noPlace(place, "the nodes are: " + names.prefix(20).joined(separator: ", "))
  }

  private static func microphone(
    _ request: Request, _ graph: AudioGraph, _ rate: Double
  ) throws(Failure) -> OfflineMicrophone? {
    guard let input = request.input else { return nil }
    guard let format = graph.grant.inputFormat, graph.session?.configuration.capture != nil else {
      throw .failed("the patch has no microphone that could hear the input")
    }
    do throws(SoundFileError) {
      return try OfflineMicrophone(
        input, sampleRate: rate, channelCount: format.channelCount)
    } catch {
      throw .failed(error.message)
    }
  }
}

/// Collects the interleaved samples of a bus, and returns them by channel.
///
/// A tap adds them in the thread that renders offline.
private final class SampleCollector: Sendable {
  struct Lanes: Sendable {
    var channels: [[Float]] = []

    init() {}

    init(channelCount: Int, capacity: Int) {
      channels = Array(repeating: [], count: channelCount)
      for channel in channels.indices { channels[channel].reserveCapacity(capacity) }
    }

    mutating func add(_ samples: [Double], _ frameCount: Int) {
      let count = channels.count
      for channel in channels.indices {
        for frame in 0..<frameCount {
          channels[channel].append(Float(samples[frame * count + channel]))
        }
      }
    }
  }

  private let samples = Mutex<[Float]>([])

  func add(_ more: [Float], _ count: Int) {
    samples.withLock { samples in
      samples += more[..<count]
    }
  }

  func channels(_ count: Int) -> [[Float]] {
    samples.withLock { samples in
      (0..<count).map { channel in
        stride(from: channel, to: samples.count, by: count).map { samples[$0] }
      }
    }
  }
}
