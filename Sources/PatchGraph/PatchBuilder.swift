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
        title: nil, inputFiles: [], outputFiles: [], layout: PatchLayout())
    }
    let graph: AudioGraph
    switch device {
    case .assumed(let assumption):
      graph = AudioGraph(assuming: assumedGrant(for: request(of: document), assumption))
    case .granted(let grant): graph = AudioGraph(assuming: grant)
    case .hardware(let hardware): graph = AudioGraph(hardware: hardware)
    }
    var builder = GraphBuilder(
      document: document, graph: graph, directory: directory,
      unread: UnreadParts(document, reading.diagnostics), saysNotes: notes)
    builder.build()
    var seen: Set<Diagnostic> = []
    let all = (reading.diagnostics + builder.diagnostics).filter { seen.insert($0).inserted }
    return BuiltPatch(
      graph: graph, diagnostics: all.inDocumentOrder(), source: reading.source,
      title: document.title?.value, inputFiles: builder.inputFiles,
      outputFiles: builder.outputFiles, layout: builder.layout)
  }
}
