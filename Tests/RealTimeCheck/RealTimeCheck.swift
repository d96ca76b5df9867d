import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import FileAccess
import Foundation
import PatchGraph
import PatchSyntax
import RenderCallbacks
import RenderCore
import RenderHost
import RenderTaps
import Synchronization

/// Renders the graphs of patches offline with several slice sizes, then live with changes during
/// playback.
struct RealTimeCheck {
  let isLong: Bool
  private let sizes: [Int]
  /// The rendered seconds for each size.
  private let duration: Double
  private var pulls = 0
  private var made = 0
  private var refused = 0
  private var captureOnly = 0
  /// How often several threads were seen to render.
  private var shared = 0
  /// How often a patch did not support a slice size.
  private var tooLong = 0
  /// The components, and the kinds of callbacks and taps, that were rendered.
  private var units: Set<String> = []
  private var callbacks: Set<String> = []
  private var taps: Set<String> = []
  /// The types of callbacks and taps that were rendered.
  private var types: Set<String> = []
  /// The folder for takes and pictures.
  private let scratch: String

  init(isLong: Bool) {
    self.isLong = isLong
    sizes = isLong ? [1, 16, 64, 333, 512, 1024, 4096] : [16, 333, 1024]
    duration = isLong ? 2 : 0.15
    scratch = NSTemporaryDirectory() + "patchrun-realtime-\(getpid())"
    try? FileManager.default.createDirectory(
      atPath: scratch, withIntermediateDirectories: true)
  }

  // MARK: One patch

  private struct Source {
    var path: String
    var root: [String: Any]
    var surroundings: PatchSurroundings

    func reading(_ root: [String: Any]) -> PatchReader.Result {
      guard let bytes = try? JSONSerialization.data(withJSONObject: root) else {
        fail("\(path) cannot be written")
      }
      return PatchReader.read(bytes: [UInt8](bytes), name: path)
    }

    /// The built patch; `nil` if one of its units does not support the slice size.
    func build(_ root: [String: Any], _ device: PatchDevice) -> BuiltPatch? {
      let patch = PatchBuilder.build(reading(root), in: surroundings, device: device)
      let errors = patch.diagnostics.filter { $0.severity == .error }
      if !errors.isEmpty && errors.allSatisfy({ $0.code == "PR0310" }) { return nil }
      guard !patch.hasErrors else {
        fail("\(path): \(TextRenderer(source: patch.source).render(patch.diagnostics))")
      }
      return patch
    }
  }

  mutating func run(_ path: String) {
    guard let data = FileManager.default.contents(atPath: path),
      let root = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
    else { fail("\(path) cannot be read") }
    run(path, root, in: (path as NSString).deletingLastPathComponent)
  }

  private mutating func run(_ path: String, _ root: [String: Any], in folder: String) {
    let source = Source(
      path: path, root: root,
      surroundings: PatchSurroundings(
        directory: folder, nativeCode: .allowed,
        files: FilePolicy(patchIn: folder, outputFolder: scratch), takes: Takes(.replace)))
    for size in sizes { render(source, size) }
    for size in isLong ? [16, 64, 333, 1024] : [64, 512] { play(source, size) }
  }

  /// Runs each unit and each callback that none of the patches has, as a new one is: what needs settings to
  /// render at all has to be in a patch.
  mutating func runOthers() {
    for kind in CallbackCatalog.standard
    where !callbacks.contains(kind.kind) && kind.kind != "input" {
      guard !kind.settings.contains(where: { $0.isRequired && $0.defaultValue == nil }) else {
        continue
      }
      var callback = ["kind": kind.kind]
      if kind.input != .none { callback["from"] = "tone" }
      run(kind.kind, Self.patch(callback: callback, through: nil), in: scratch)
    }
    for unit in UnitCatalog.standard.components where !units.contains(unit.name.lowercased()) {
      run(unit.name, Self.patch(callback: ["kind": "tone"], through: unit.name), in: scratch)
    }
  }

  private static func patch(callback: [String: String], through unit: String?) -> [String: Any] {
    var nodes: [String: Any] = ["io": ["component": "remoteIO"]]
    if let unit {
      nodes["unit"] = ["component": unit, "properties": ["maximumFramesPerSlice": 4096]]
    }
    let connections =
      unit == nil
      ? [["from": "other", "to": "io"]]
      : [["from": "other", "to": "unit"], ["from": "unit", "to": "io"]]
    return [
      "schemaVersion": 1,
      "streamFormat": ["sample": "float32", "channels": 2, "sampleRate": "session"]
        as [String: Any],
      "callbacks": ["tone": ["kind": "tone"], "other": callback], "nodes": nodes,
      "connections": connections,
    ]
  }

  private mutating func note(
    _ document: PatchDocument?, _ session: RenderSession, _ graph: AudioGraph
  ) {
    for node in document?.nodes ?? [] {
      if case .name(let name)? = node.value.component?.value { units.insert(name.lowercased()) }
    }
    for callback in document?.callbacks ?? [] {
      if let kind = callback.value.kind?.value { callbacks.insert(kind) }
    }
    for tap in document?.taps ?? [] {
      if let kind = tap.value.kind?.value { taps.insert(kind) }
    }
    note(session, graph)
  }

  private mutating func note(_ session: RenderSession, _ graph: AudioGraph) {
    types.formUnion(RenderedTypes.present(in: graph))
    pulls += session.sliceCount
    if session.configuration.client == nil { captureOnly += session.sliceCount }
  }

  private static func noise(_ position: Int, _ buffer: ChannelBuffer) {
    for index in buffer.indices {
      let word = UInt32(truncatingIfNeeded: position &+ index) &* 2_654_435_761
      buffer[index] = Float(Int32(bitPattern: word) >> 8) / Float(1 << 26)
    }
  }

  private mutating func render(_ source: Source, _ size: Int) {
    var assumption = HardwareAssumption()
    assumption.ioBufferFrames = size
    guard let patch = source.build(source.root, .assumed(assumption)), let graph = patch.graph
    else {
      tooLong += 1
      return
    }
    do {
      try graph.initialize()
      let live = LivePatch(patch, from: source.reading(source.root), in: source.surroundings)
      try live?.planUpdates(upTo: .infinity)
    } catch { fail("\(source.path): \(error)") }
    guard let session = graph.session else { return }
    let outcome = OfflineDevice(graph.grant, microphone: Self.noise).run(
      session, frameCount: Int(duration * graph.grant.sampleRate), services: graph.services,
      progress: { _ in graph.collect() })
    if let error = outcome.errors.first { fail("\(source.path): \(error.message)") }
    if session.failedSlices.count > 0 { fail("\(source.path): \(session.failedSlices.status)") }
    note(patch.document, session, graph)
    graph.close()
  }

  // MARK: Live

  /// Plays a patch faster than real time on a device without audio, and changes it meanwhile.
  private mutating func play(_ source: Source, _ size: Int) {
    var assumption = HardwareAssumption()
    assumption.ioBufferFrames = size
    guard let grant = source.build(source.root, .assumed(assumption))?.graph?.grant else { return }
    let host = PacedHost(grant, speed: 20, microphone: Self.noise)
    guard let patch = source.build(source.root, .hardware(host)), let graph = patch.graph,
      let live = LivePatch(patch, from: source.reading(source.root), in: source.surroundings)
    else { return }
    // A client may call this in a render notification while other threads hold the graph's locks.
    _ = graph.addRenderNotification { [unowned graph] flags, _, _ in
      guard flags.contains(.postRender) else { return }
      _ = try? graph.updateWithoutWaiting()
    }
    do {
      graph.renderThreadCount = 3
      try graph.initialize()
      try graph.start()
      let asking = Asking(graph)
      for change in Variation.all(of: source.root) + [source.root] {
        do {
          try live.play(source.reading(change))
          made += 1
        } catch { refused += 1 }
        for _ in 0..<(isLong ? 60 : 15) {
          usleep(1000)
          if let session = graph.session, session.renderingThreads > 1 { shared += 1 }
        }
        graph.collect()
      }
      asking.stop()
      graph.stop()
    } catch { fail("\(source.path): \(error)") }
    if let session = graph.session { note(patch.document, session, graph) }
    graph.close()
  }

  // MARK: What no patch can name

  /// Renders a graph of the program's own with each slice size, then plays it and changes it
  /// meanwhile.
  mutating func runProgramGraph() {
    do {
      for size in sizes { try renderProgramGraph(size) }
      for size in isLong ? [16, 64, 333, 1024] : [64, 512] { try playProgramGraph(size) }
    } catch { fail("the program's graph: \(error)") }
  }

  private mutating func renderProgramGraph(_ size: Int) throws {
    let grant = ProgramGraph.grant(size)
    let graph = AudioGraph(assuming: grant)
    let program = try ProgramGraph(graph)
    try graph.initialize()
    guard let session = graph.session else { fail("the program's graph has no session") }
    let outcome = OfflineDevice(grant, microphone: Self.noise).run(
      session, frameCount: Int(duration * grant.sampleRate), services: graph.services,
      progress: { _ in graph.collect() })
    if let error = outcome.errors.first { fail("the program's graph: \(error.message)") }
    end(graph, session, program)
  }

  private mutating func playProgramGraph(_ size: Int) throws {
    let host = PacedHost(ProgramGraph.grant(size), speed: 20, microphone: Self.noise)
    let graph = AudioGraph(hardware: host)
    var program = try ProgramGraph(graph)
    graph.renderThreadCount = 3
    try graph.initialize()
    try graph.start()
    for _ in 0..<(isLong ? 20 : 5) {
      try program.change()
      usleep(15_000)
      graph.collect()
    }
    graph.stop()
    guard let session = graph.session else { fail("the program's graph has no session") }
    end(graph, session, program)
  }

  private mutating func end(_ graph: AudioGraph, _ session: RenderSession, _ program: ProgramGraph)
  {
    let failures = session.failedSlices
    if failures.count > 0 { fail("the program's graph: \(failures.status)") }
    note(session, graph)
    graph.close()
    let missing = program.seen.missing
    guard missing.isEmpty else {
      fail("the program's graph: no \(missing.joined(separator: ", no "))")
    }
  }

  // MARK: The end

  /// Prints what was checked, and fails if something was missed.
  func finish() {
    try? FileManager.default.removeItem(atPath: scratch)
    var missing = UnitCatalog.standard.components.map(\.name).filter {
      !units.contains($0.lowercased())
    }
    // An `input` becomes the source that is connected to the sub-graph.
    missing += CallbackCatalog.standard.map(\.kind).filter {
      $0 != "input" && !callbacks.contains($0)
    }
    missing += TapCatalog.ofPatches.kinds.map(\.kind).filter { !taps.contains($0) }
    missing += RenderedTypes.all.subtracting(types).sorted()
    print(
      "\(pulls) pulls, \(captureOnly) of them of capture only; \(made) live changes, and "
        + "\(refused) that were refused; \(shared) times several threads were seen to render: "
        + "nothing unsafe"
        + (tooLong > 0 ? " (\(tooLong) times a patch takes no slices that are so long)" : ""))
    guard missing.isEmpty else { fail("never rendered: \(missing.joined(separator: ", "))") }
    guard captureOnly > 0 else { fail("no patch only captures") }
    guard shared > 0 else { fail("several threads never rendered") }
    guard made > refused else { fail("most of the changes were refused") }
  }
}

/// Calls functions that take a graph's locks, from its own thread.
private final class Asking: Sendable {
  private let isOver = Atomic(false)
  private let done = DispatchSemaphore(value: 0)

  init(_ graph: AudioGraph) {
    let thread = Thread { [self, unowned graph] in
      while !isOver.load(ordering: .relaxed) {
        _ = graph.session
        _ = graph.readings
        _ = graph.nodeCount
      }
      done.signal()
    }
    thread.start()
  }

  func stop() {
    isOver.store(true, ordering: .relaxed)
    done.wait()
  }
}

/// Variations of a patch.
private enum Variation {
  typealias Object = [String: Any]

  /// The variations in the order in which they are played.
  static func all(of root: Object) -> [Object] {
    [
      quieter(root), withTaps(root), equalized(root), root, withNoise(root),
      equalized(quieter(root)),
    ]
  }

  private static func mapped(
    _ root: Object, _ key: String, _ body: (String, Object) -> Object
  ) -> Object {
    var root = root
    var members = root[key] as? Object ?? [:]
    for (name, value) in members {
      if let object = value as? Object { members[name] = body(name, object) }
    }
    root[key] = members
    return root
  }

  /// With quieter mixers.
  private static func quieter(_ root: Object) -> Object {
    mapped(root, "nodes") { _, node in
      guard node["component"] as? String == "MultichannelMixer" else { return node }
      var node = node
      var outputs = node["outputs"] as? Object ?? [:]
      var output = outputs["0"] as? Object ?? [:]
      var parameters = output["parameters"] as? Object ?? [:]
      parameters["volume"] = 0.25
      output["parameters"] = parameters
      outputs["0"] = output
      node["outputs"] = outputs
      return node
    }
  }

  private static func head(of root: Object) -> String? {
    (root["nodes"] as? Object)?.first { _, node in
      let component = (node as? Object)?["component"] as? String ?? ""
      return ["remoteio", "genericoutput", "voiceprocessingio"].contains(component.lowercased())
    }?.key
  }

  /// With meters and spectra at every unit.
  private static func withTaps(_ root: Object) -> Object {
    var root = root
    var taps = root["taps"] as? Object ?? [:]
    let head = head(of: root)
    for (name, node) in root["nodes"] as? Object ?? [:]
    where name != head && (node as? Object)?["component"] != nil {
      for kind in ["meter", "spectrum", "loudness"] {
        taps["\(kind) of \(name)"] = ["kind": kind, "at": name]
      }
    }
    root["taps"] = taps
    return root
  }

  /// With an equalizer before the output unit.
  private static func equalized(_ root: Object) -> Object {
    guard let head = head(of: root), var connections = root["connections"] as? [Object],
      let last = connections.firstIndex(where: {
        let to = $0["to"] as? String
        return to == head || to == "\(head):0"
      }), var nodes = root["nodes"] as? Object
    else { return root }
    var root = root
    connections[last]["to"] = "an equalizer"
    connections.append(["from": "an equalizer", "to": head])
    nodes["an equalizer"] = [
      "component": "iPodEQ",
      "properties": ["maximumFramesPerSlice": 4096, "presentPreset": "Rock"],
    ]
    (root["nodes"], root["connections"]) = (nodes, connections)
    return root
  }

  /// With noise in place of files.
  private static func withNoise(_ root: Object) -> Object {
    mapped(root, "callbacks") { _, callback in
      callback["kind"] as? String == "file" ? ["kind": "noise", "amplitude": 0.1] : callback
    }
  }
}
