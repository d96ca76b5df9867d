public import AudioGraphs
import AudioTypes
import AudioUnits
public import Diagnostics
public import PatchSyntax
import RenderHost

/// A patch that has become a graph.
public struct BuiltPatch: Sendable {
  /// Open, configured and connected; `nil` where the text could not be read at all. Initialize it
  /// only where there are no errors.
  public let graph: AudioGraph?
  /// Everything that is wrong, from the syntax to what initialize would refuse, in the order of
  /// the text.
  public let diagnostics: [Diagnostic]
  public let source: SourceText
  public let title: String?
  /// The files that the patch reads and those that it writes, as they would be opened.
  public let inputFiles: [String]
  public let outputFiles: [String]
  /// The updates of the timeline in order of time, each made on the document that the one before has
  /// left. Where one of them cannot be made, there is an error, and those behind it are missing.
  public let updates: [PlannedUpdate]
  /// What is called what in the graph.
  let layout: PatchLayout

  public var hasErrors: Bool { diagnostics.hasErrors }
}

/// Turns a document into a graph and gives what is wrong with either its place in the text.
///
/// Every mistake is reported, and each once: what cannot be resolved is left out, and what follows
/// from its absence is not reported as well.
public struct PatchBuilder {
  /// Builds the graph of a patch.
  ///
  /// - Parameters:
  ///   - directory: What paths in the patch are relative to; empty for the current one.
  ///   - notes: Whether to say also what is good to know and neither wrong nor to be regretted.
  public static func build(
    _ reading: PatchReader.Result, directory: String, device: PatchDevice, notes: Bool = false
  ) -> BuiltPatch {
    guard let document = reading.document else {
      return BuiltPatch(
        graph: nil, diagnostics: reading.diagnostics.inDocumentOrder(), source: reading.source,
        title: nil, inputFiles: [], outputFiles: [], updates: [], layout: PatchLayout())
    }
    let patch = build(
      reading, document, directory: directory, device: device, epoch: nil, notes: notes)
    guard let graph = patch.graph, document.timeline.contains(where: { $0.update != nil }),
      !reading.hasSyntaxErrors
    else { return patch }
    var checker = UpdateChecker(
      document, directory: directory, device: device.assumed(graph.grant),
      known: patch.diagnostics, sampleRate: graph.grant.sampleRate)
    checker.check()
    let all = (patch.diagnostics + checker.diagnostics).filter(checker.holds)
    return BuiltPatch(
      graph: graph, diagnostics: all.inDocumentOrder(), source: patch.source,
      title: patch.title,
      inputFiles: patch.inputFiles.united(with: checker.inputFiles),
      outputFiles: patch.outputFiles.united(with: checker.outputFiles),
      updates: checker.updates, layout: patch.layout)
  }

  /// Builds the graph of the document that an update of the timeline makes.
  ///
  /// The graph has the ramps that begin until the next update, and those that are on their way when
  /// the update comes: these have begun before it (`ParameterRamp.start`). Diagnostics are about the
  /// text of that document.
  public static func build(
    _ update: PlannedUpdate, directory: String, device: PatchDevice
  ) -> BuiltPatch {
    guard let document = update.reading.document else {
      return BuiltPatch(
        graph: nil, diagnostics: update.reading.diagnostics.inDocumentOrder(),
        source: update.reading.source, title: nil, inputFiles: [], outputFiles: [], updates: [],
        layout: PatchLayout())
    }
    return build(
      update.reading, document, directory: directory, device: device, epoch: update.epoch,
      notes: false)
  }

  private static func build(
    _ reading: PatchReader.Result, _ document: PatchDocument, directory: String,
    device: PatchDevice, epoch: TimelineEpoch?, notes: Bool
  ) -> BuiltPatch {
    let graph: AudioGraph
    switch device {
    case .assumed(let assumption):
      graph = AudioGraph(assuming: assumedGrant(for: request(of: document), assumption))
    case .granted(let grant): graph = AudioGraph(assuming: grant)
    case .hardware(let hardware): graph = AudioGraph(hardware: hardware)
    }
    var builder = GraphBuilder(
      document: document, graph: graph, directory: directory,
      unread: UnreadParts(document, reading.diagnostics), saysNotes: notes, epoch: epoch)
    builder.build()
    var layout = builder.layout
    layout.request = request(of: document)
    var seen: Set<Diagnostic> = []
    let all = (reading.diagnostics + builder.diagnostics).filter { seen.insert($0).inserted }
    return BuiltPatch(
      graph: graph, diagnostics: all.inDocumentOrder(), source: reading.source,
      title: document.title?.value, inputFiles: builder.inputFiles,
      outputFiles: builder.outputFiles, updates: [], layout: layout)
  }
}

extension PatchDevice {
  /// What a document is checked for while another one has the device.
  fileprivate func assumed(_ grant: HardwareGrant) -> PatchDevice {
    if case .assumed = self { self } else { .granted(grant) }
  }
}

extension PatchReader.Result {
  /// Whether the text is more than a patch with mistakes.
  fileprivate var hasSyntaxErrors: Bool {
    let codes = Set(SyntaxRules.all.map(\.code))
    return diagnostics.contains { $0.severity == .error && codes.contains($0.code) }
  }
}

extension [String] {
  /// These, and those of others that are not among them.
  fileprivate func united(with others: [String]) -> [String] {
    self + others.filter { !contains($0) }
  }
}
