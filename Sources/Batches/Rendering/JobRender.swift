import AudioGraphs
import AudioTypes
import Diagnostics
import FileAccess
import PatchGraph
import PatchReference
import PatchRendering
import PatchSyntax
import RenderCore
import RenderHost
import RenderTaps
import SoundFiles

/// Renders a job: pulls its patch once, writes the outputs and measures the sound.
struct JobRender {
  private let prepared: PreparedJob
  private let built: PreparedJob.Built
  private let graph: AudioGraph
  private let isCancelled: () -> Bool
  /// The path that an output is written to.
  private let path: (BatchJob.File) -> String
  private let mostSamples: Int

  private var job: BatchJob { prepared.job }

  init?(
    _ prepared: PreparedJob, _ built: PreparedJob.Built, isCancelled: @escaping () -> Bool,
    mostSamples: Int,
    path: @escaping (BatchJob.File) -> String
  ) {
    guard let graph = built.patch.graph else { return nil }
    self.prepared = prepared
    self.built = built
    self.graph = graph
    self.isCancelled = isCancelled
    self.path = path
    self.mostSamples = mostSamples
  }

  /// Renders the job and completes its record.
  ///
  /// - Returns: `false` if it was cancelled. All its files are then removed.
  func run(into record: inout BatchRecord) throws(JobFault) -> Bool {
    var writers: [String: OutputWriter] = [:]
    for output in job.outputs where !output.place.hasPrefix("/") {
      writers[output.place] = OutputWriter(path(output), job)
    }
    do throws(JobFault) {
      guard try render(writers, into: &record) else {
        discard(writers)
        return false
      }
      return true
    } catch {
      discard(writers)
      throw error
    }
  }

  private func discard(_ writers: [String: OutputWriter]) {
    for writer in writers.values { writer.discard() }
    for output in job.outputs where output.place.hasPrefix("/") {
      let path = path(output)
      let name = String(path.split(separator: "/").last ?? "")
      RawFile.remove(
        FilePolicy.join(FilePolicy.folder(of: path), PendingFile.unfinishedName(of: name)))
    }
  }

  private func render(
    _ writers: [String: OutputWriter], into record: inout BatchRecord
  ) throws(JobFault) -> Bool {
    graph.renderThreadCount = 1
    for output in job.outputs where output.place.hasPrefix("/") {
      do throws(RawFile.Failure) {
        try RawFile.makeFolder(FilePolicy.folder(of: path(output)))
      } catch {
        throw JobFault(BatchRules.output, "the folder cannot be made: \(error.message)")
      }
    }
    let buses = try addTaps(writers)
    let live = try initialize()
    guard let session = graph.session else {
      throw JobFault(BatchRules.render, "the patch has no output unit")
    }
    let rate = session.configuration.sampleRate
    let microphone = try microphone(rate)
    guard let frameCount = try frameCount(rate, microphone) else {
      throw JobFault(
        BatchRules.render, "the patch has no end of its own",
        help: ["say how long it is rendered: \"duration\": 5"])
    }
    for (node, bus, writer) in buses {
      guard let outputs = graph.configurations[node]?.outputs, outputs.indices.contains(bus) else {
        throw JobFault(BatchRules.output, "there is no such bus")
      }
      try writer.open(Self.canonical(outputs[bus].format))
    }
    let device = session.configuration.client == nil ? nil : session.configuration.device
    var sink = try JobSink(
      job, device, frameCount: frameCount, writers[BatchJob.device],
      mostSamples: mostSamples)
    defer { sink.discard() }
    var fillMicrophone: Microphone?
    if let microphone {
      fillMicrophone = { (_: Int, buffer: ChannelBuffer) throws(ServiceError) in
        try microphone.fill(buffer)
      }
    }
    var outcome = OfflineDevice(graph.grant, microphone: fillMicrophone).run(
      session, frameCount: frameCount, services: graph.services, isCancelled: isCancelled,
      progress: { (_) throws(ServiceError) in
        graph.collect()
        try live?.planNextUpdates()
      },
      sink: { bytes in sink.take(bytes) })
    outcome.errors += graph.serviceErrors
    guard !outcome.wasCancelled else { return false }
    try check(outcome, session, sink)
    record.frames = outcome.frameCount
    record.sampleRate = rate
    let readings = graph.readings
    try sink.finish(into: &record)
    for (_, _, writer) in buses { try note(writer.finish(), &record) }
    if !readings.isEmpty { record.more.append(.init("taps", MeasurementListing.json(readings))) }
    return true
  }

  private func note(_ clipping: Clipping?, _ record: inout BatchRecord) {
    if let fault = JobSink.fault(clipping) { record.diagnostics.append(fault) }
  }

  /// The format of a bus's file: float samples, as they are on the bus.
  private static func canonical(_ format: StreamFormat) -> StreamFormat {
    StreamFormat(.float32, channels: format.channelCount, sampleRate: format.sampleRate)
  }

  // MARK: Before

  private func addTaps(
    _ writers: [String: OutputWriter]
  ) throws(JobFault) -> [(NodeID, Int, OutputWriter)] {
    var buses: [(NodeID, Int, OutputWriter)] = []
    for output in job.outputs where output.place != BatchJob.device {
      guard let writer = writers[output.place] else { continue }
      let parts = output.place.split(separator: ":", maxSplits: 1)
      let name = parts.first.map(String.init) ?? ""
      let names = graph.nodes.map { (id: $0, name: (try? graph.nodeInfo($0))?.name ?? "") }
      guard let node = names.first(where: { $0.name == name })?.id else {
        throw JobFault(
          BatchRules.output, "the patch has no node \(quoted(name)) to take an output of",
          help: [
            didYouMean(name, among: names.map(\.name))
              ?? "outputs are of \"device\", of a node such as \(quoted(names.first?.name ?? "mixer")), "
              + "or of a tap: \"/taps/NAME/path\""
          ])
      }
      let bus = try parts.count > 1 ? self.bus(String(parts[1]), of: node, name) : 0
      do throws(Violation) {
        _ = try graph.addTap(
          SampleTap { samples, count in writer.write(samples, count: count) }, at: node, bus)
      } catch {
        throw JobFault(BatchRules.output, error.message, help: error.help)
      }
      buses.append((node, bus, writer))
    }
    return buses
  }

  /// The index of an output, given by number or by `elementName`.
  private func bus(_ text: String, of node: NodeID, _ name: String) throws(JobFault) -> Int {
    if let number = PatchReader.bus(text) { return number }
    guard let unit = try? graph.unit(node) else { return 0 }
    let named = (0..<unit.elementCount(.output)).compactMap { bus in
      unit.elementName(.output, bus).map { (bus: bus, name: $0) }
    }
    let found = named.filter { $0.name == text }
    guard found.count == 1 else {
      throw JobFault(
        BatchRules.output,
        found.isEmpty
          ? "\(quoted(name)) has no output of the name \(quoted(text))"
          : "\(quoted(text)) is the name of \(found.count) outputs of \(quoted(name))",
        help: [
          didYouMean(text, among: named.map(\.name)) ?? "write the number of the output: \(name):0"
        ])
    }
    return found[0].bus
  }

  private func initialize() throws(JobFault) -> LivePatch? {
    do throws(Violation) { try graph.initialize() } catch {
      throw JobFault(BatchRules.patch, error.message, help: error.help)
    }
    guard !built.patch.updates.isEmpty else { return nil }
    let live = LivePatch(built.patch, from: built.reading, in: built.surroundings)
    do throws(LivePatch.Refusal) { try live?.planFirstUpdates() } catch {
      throw JobFault(BatchRules.render, error.message)
    }
    return live
  }

  /// The frames to render; `nil` for a patch without an end, where the job has no duration.
  private func frameCount(
    _ rate: Double, _ microphone: OfflineMicrophone?
  ) throws(JobFault) -> Int? {
    if let duration = job.duration { return Int((duration * rate).rounded()) }
    let request = PatchRender.Request(
      built.reading, in: built.surroundings, assuming: built.assumption)
    do throws(PatchRender.Failure) {
      let own = try built.patch.frameCount(request, at: rate)
      return own.map { max($0, microphone?.frameCount ?? 0) } ?? microphone?.frameCount
    } catch {
      throw JobFault(BatchRules.render, error.message)
    }
  }

  private func microphone(_ rate: Double) throws(JobFault) -> OfflineMicrophone? {
    guard let input = job.inputs.first(where: { $0.place == BatchJob.microphone }) else {
      return nil
    }
    guard let format = graph.grant.inputFormat, graph.session?.configuration.capture != nil else {
      throw JobFault(
        BatchRules.input, "the patch hears no microphone, so that the input has no use",
        help: ["turn the I/O unit's input on, or name the path that the file takes the place of"])
    }
    do throws(SoundFileError) {
      let reader = try SoundFileReader(path: prepared.context.path(input.path))
      return try OfflineMicrophone(reader, sampleRate: rate, channelCount: format.channelCount)
    } catch {
      throw JobFault(BatchRules.input, error.message, help: [error.help])
    }
  }

  // MARK: After

  private func check(
    _ outcome: OfflineDevice.Outcome, _ session: RenderSession, _ sink: borrowing JobSink
  ) throws(JobFault) {
    if let error = outcome.errors.first { throw JobFault(BatchRules.render, error.message) }
    let failed = session.failedSlices
    if failed.count > 0 {
      throw JobFault(
        BatchRules.render, "\(failed.count) slices could not be rendered: \(failed.status)")
    }
    if let bad = sink.firstBadFrame {
      throw JobFault(
        BatchRules.render,
        "the result has samples that are no finite numbers, the first at "
          + ServiceEvent.clock(Double(bad) / session.configuration.sampleRate))
    }
    if session.limited.silencedSamples > 0 {
      throw JobFault(
        BatchRules.render, "samples that are not finite numbers have become silence in the result")
    }
    if outcome.lostFrames > 0 {
      throw JobFault(BatchRules.render, "\(outcome.lostFrames) frames of files were lost")
    }
  }
}
