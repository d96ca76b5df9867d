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
  /// What the ranges of the diagnostics point into: the text of the patch and, behind it, those of its
  /// sub-graphs.
  public let source: SourceText
  /// How many bytes of `source` are the patch's own.
  public let ownLength: Int
  /// The patch with its sub-graphs put into it; `nil` where the text could not be read at all.
  public let document: PatchDocument?
  public let title: String?
  /// The files that the patch reads and those that it writes, as they would be opened.
  public let inputFiles: [String]
  public let outputFiles: [String]
  /// The files of its sub-graphs, each once.
  public let subgraphFiles: [SubgraphFile]

  /// A file that a patch has as a sub-graph.
  public struct SubgraphFile: Hashable, Sendable {
    /// What its text is called in diagnostics.
    public var name: String
    /// The path that it was opened by.
    public var path: String
  }

  public var hasErrors: Bool { diagnostics.hasErrors }

  /// The patch's own text.
  public var ownSource: SourceText {
    ownLength == source.bytes.count ? source : source.prefix(ownLength)
  }
}

/// Turns a document into a graph and gives what is wrong with either its place in the text.
///
/// Every mistake is reported, and each once: what cannot be resolved is left out, and what follows
/// from its absence is not reported as well.
public struct PatchBuilder {
  /// Builds the graph of a patch.
  ///
  /// - Parameter directory: What paths in the patch are relative to; empty for the current one.
  public static func build(
    _ reading: PatchReader.Result, directory: String, device: PatchDevice
  ) -> BuiltPatch {
    let assembly = SubgraphAssembler.assemble(reading, directory: directory)
    let ownLength = reading.source.bytes.count
    let reading = assembly.reading
    guard let document = reading.document else {
      return BuiltPatch(
        graph: nil, diagnostics: reading.diagnostics.inDocumentOrder(), source: reading.source,
        ownLength: ownLength, document: nil, title: nil, inputFiles: [], outputFiles: [],
        subgraphFiles: [])
    }
    let graph: AudioGraph
    switch device {
    case .assumed(let assumption):
      graph = AudioGraph(assuming: assumedGrant(for: request(of: document), assumption))
    case .hardware(let hardware):
      graph = AudioGraph(hardware: hardware)
    }
    var builder = GraphBuilder(
      document: document, graph: graph, directory: directory, hadErrors: reading.hasErrors)
    builder.build()
    var seen: Set<Diagnostic> = []
    var all = (reading.diagnostics + builder.diagnostics).filter { seen.insert($0).inserted }
    if !document.subgraphs.isEmpty {
      all = SubgraphFindings(document, source: reading.source).finished(all)
    }
    return BuiltPatch(
      graph: graph, diagnostics: all.inDocumentOrder(), source: reading.source,
      ownLength: ownLength, document: document, title: document.title?.value,
      inputFiles: builder.inputFiles + assembly.files.map(\.path), outputFiles: builder.outputFiles,
      subgraphFiles: assembly.files)
  }
}
