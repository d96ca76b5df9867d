import Diagnostics
import FileAccess
import PatchSyntax
import Synchronization

/// The patches of a batch, each read once, and what they mean. Any thread.
final class PatchShelf: Sendable {
  /// A patch as it was read.
  struct Source: Sendable {
    var text: SourceText
    var directory: String
    /// Of its bytes.
    var digest: Digest
  }

  /// What a patch with some settings means, whatever files are put into it.
  struct Meaning: Sendable {
    enum Gap: Sendable, Hashable {
      /// The file of an input of the job.
      case input(String)
      case file(String)
    }

    var pieces: [[UInt8]]
    var gaps: [Gap]
    /// Files that are read and named nowhere in the expanded patch.
    var unnamed: [String]
    /// Files that the expanded patch has in it: sub-graphs.
    var contained: [String] = []
  }

  private struct State {
    var sources: [String: Source] = [:]
    var meanings: [String: Meaning] = [:]
  }

  private let state = Mutex(State())
  private let limits: PatchLimits
  private static let mostSources = 4096
  private static let mostMeanings = 1024

  init(limits: PatchLimits) { self.limits = limits }

  /// A patch by its path.
  func source(_ path: String) throws(FileRefusal) -> Source {
    if let known = state.withLock({ $0.sources[path] }) { return known }
    let bytes = try FilePolicy.user.read(path, limit: limits.bytes).bytes
    let source = Source(
      text: SourceText(name: path, bytes: bytes), directory: RawFile.folder(of: path),
      digest: Hashing.digest(bytes))
    state.withLock { state in
      if state.sources.count >= Self.mostSources { state.sources = [:] }
      state.sources[path] = source
    }
    return source
  }

  /// What is known of a patch, its settings and the places of its inputs.
  func meaning(_ name: String) -> Meaning? { state.withLock { $0.meanings[name] } }

  func keep(_ meaning: Meaning, _ name: String) {
    state.withLock { state in
      if state.meanings.count >= Self.mostMeanings { state.meanings = [:] }
      state.meanings[name] = meaning
    }
  }
}
