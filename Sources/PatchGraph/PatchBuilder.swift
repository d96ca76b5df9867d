import AudioGraphs
import AudioUnits
import Diagnostics
public import PatchSyntax
import RenderHost

/// Turns a document into a graph, and gives every finding its place in the text.
///
/// Every mistake is reported once: what cannot be resolved is left out, and errors that only follow
/// from its absence are not reported.
public struct PatchBuilder {
  /// Builds the graph of a patch.
  ///
  /// - Parameters:
  ///   - surroundings: The folder that the patch's paths start from, and the patch's permissions.
  ///   - notes: Whether to report notes.
  public static func build(
    _ reading: PatchReader.Result, in surroundings: PatchSurroundings, device: PatchDevice,
    notes: Bool = false
  ) -> BuiltPatch {
    let patch = build(reading, in: surroundings, device: device, epoch: nil, notes: notes)
    guard let document = reading.document, let graph = patch.graph,
      document.timeline.contains(where: \.isUpdate),
      // The document of an update is not known where another update's time could not be read.
      !document.timeline.contains(where: { $0.isUpdate && $0.at == nil }),
      !reading.hasSyntaxErrors
    else { return patch }
    var checker = UpdateChecker(
      document, patch, in: surroundings, device: device.assumed(graph.grant),
      sampleRate: graph.grant.sampleRate, limits: reading.limits)
    checker.check()
    let found = document.copies.merged(checker.diagnostics, in: checker.source)
    let all = (patch.diagnostics + found).filter(checker.holds)
    var whole = patch
    whole.diagnostics = all.inDocumentOrder().limited(to: reading.limits.findings)
    whole.source = checker.source
    whole.inputFiles = patch.inputFiles.united(with: checker.inputFiles.names)
    whole.outputFiles = patch.outputFiles.united(with: checker.outputFiles.names)
    whole.subgraphFiles = patch.subgraphFiles.united(with: checker.subgraphFiles.names)
    whole.updates = checker.updates
    whole.libraries += checker.libraries.filter { new in
      !patch.libraries.contains { $0.path == new.path }
    }
    whole.allowedLibraries = Set(
      whole.libraries.map(\.path).filter(surroundings.nativeCode.allows))
    return whole
  }

  /// Builds the graph of the document that an update of the timeline makes.
  ///
  /// The graph has the ramps that begin before the next update, and those that are in progress at
  /// the time of the update, with their earlier starts (`ParameterRamp.start`). Diagnostics refer
  /// to the text of that document.
  public static func build(
    _ update: PlannedUpdate, in surroundings: PatchSurroundings, device: PatchDevice
  ) -> BuiltPatch {
    build(update.reading, in: surroundings, device: device, epoch: update.epoch)
  }

  /// Builds the graph of a document for a part of its timeline, without its updates.
  ///
  /// - Parameter epoch: `nil` for the part before the first update.
  static func build(
    _ reading: PatchReader.Result, in surroundings: PatchSurroundings, device: PatchDevice,
    epoch: TimelineEpoch?, notes: Bool = false
  ) -> BuiltPatch {
    let ownLength = reading.source.bytes.count
    let assembly = SubgraphAssembler.assemble(reading, in: surroundings)
    let reading = assembly.reading
    guard let document = reading.document else {
      return BuiltPatch(
        graph: nil, diagnostics: reading.diagnostics.inDocumentOrder(), source: reading.source,
        ownLength: ownLength, document: nil)
    }
    let graph: AudioGraph
    let request = request(of: document)
    switch device {
    case .assumed(let assumption):
      graph = AudioGraph(assuming: assumedGrant(for: request, assumption))
    case .granted(let grant): graph = AudioGraph(assuming: grant)
    case .hardware(let hardware): graph = AudioGraph(hardware: hardware)
    }
    var builder = GraphBuilder(
      document: document, graph: graph, surroundings: surroundings,
      unread: UnreadParts(document, reading.diagnostics), reportsNotes: notes, epoch: epoch,
      limits: reading.limits)
    builder.request = request
    graph.memoryLimit = reading.limits.memory
    builder.build()
    var layout = builder.layout
    layout.request = request
    layout.policy = document.session?.value.policy ?? .init()
    layout.limits = OutputLimits(of: document)
    graph.outputPeakLimit = layout.limits.outputPeak
    // The default category of Core Audio.
    if layout.request?.category == nil { layout.request?.category = .soloAmbient }
    var seen: Set<Diagnostic> = []
    var all = (reading.diagnostics + builder.diagnostics).filter { seen.insert($0).inserted }
    all = document.copies.merged(all, in: reading.source)
    if !document.subgraphs.isEmpty {
      all = SubgraphFindings(document, source: reading.source).finished(all)
    }
    return BuiltPatch(
      graph: graph, diagnostics: all.inDocumentOrder().limited(to: reading.limits.findings),
      source: reading.source, ownLength: ownLength, document: document,
      title: document.title?.value,
      inputFiles: builder.inputFiles + assembly.files.map(\.path),
      outputFiles: builder.outputFiles, subgraphFiles: assembly.files,
      libraries: builder.libraries,
      allowedLibraries: Set(
        builder.libraries.map(\.path).filter(surroundings.nativeCode.allows)),
      layout: layout, places: builder.places)
  }
}

extension PatchDevice {
  /// The device that the documents of updates are checked for: the patch itself has the real one.
  fileprivate func assumed(_ grant: HardwareGrant) -> PatchDevice {
    if case .assumed = self { self } else { .granted(grant) }
  }
}

extension PatchReader.Result {
  /// Whether the text has errors of syntax.
  fileprivate var hasSyntaxErrors: Bool {
    let codes = Set(SyntaxRules.all.map(\.code))
    return diagnostics.contains { $0.severity == .error && codes.contains($0.code) }
  }
}

extension Array where Element: Hashable {
  /// The elements, followed by those of `others` that are not among them.
  fileprivate func united(with others: [Element]) -> [Element] {
    let known = Set(self)
    return self + others.filter { !known.contains($0) }
  }
}
