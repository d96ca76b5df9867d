import Diagnostics
import FileAccess
import PatchSyntax
import Synchronization

/// The patches of a batch, each read once, with their canonical texts. Any thread.
final class PatchCache: Sendable {
  /// The text of a patch.
  struct Source: Sendable {
    var text: SourceText
    var directory: String
    /// The digest of its bytes.
    var digest: Digest
  }

  /// The canonical text of a patch with certain settings. It has gaps for the digests of files, so
  /// that it holds for any input files.
  struct Template: Sendable {
    enum Gap: Sendable, Hashable {
      /// An input of the job.
      case input(String)
      case file(String)
    }

    var pieces: [[UInt8]]
    var gaps: [Gap]
    /// Files that the patch reads but the expanded text does not mention.
    var unnamed: [String]
    /// Files whose contents are part of the expanded text: sub-graphs.
    var contained: [String] = []
  }

  private struct State {
    var sources: [String: Source] = [:]
    var templates: [String: Template] = [:]
  }

  private let state = Mutex(State())
  private let limits: PatchLimits
  private static let mostSources = 4096
  private static let mostTemplates = 1024

  init(limits: PatchLimits) { self.limits = limits }

  /// The patch at a path.
  func source(_ path: String) throws(FileRefusal) -> Source {
    if let known = state.withLock({ $0.sources[path] }) { return known }
    let bytes = try FilePolicy.user.read(path, limit: limits.bytes).bytes
    let source = Source(
      text: SourceText(name: path, bytes: bytes), directory: FilePolicy.folder(of: path),
      digest: Hashing.digest(bytes))
    state.withLock { state in
      if state.sources.count >= Self.mostSources { state.sources = [:] }
      state.sources[path] = source
    }
    return source
  }

  /// The canonical text under a name: see `PreparedJob.templateName`.
  func template(_ name: String) -> Template? { state.withLock { $0.templates[name] } }

  func keep(_ template: Template, _ name: String) {
    state.withLock { state in
      if state.templates.count >= Self.mostTemplates { state.templates = [:] }
      state.templates[name] = template
    }
  }
}
