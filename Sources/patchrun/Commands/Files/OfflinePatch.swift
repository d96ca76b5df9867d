import AudioGraphs
import PatchGraph
import PatchSyntax
import SoundFiles

extension Appearance {
  /// Initializes a patch's graph for an offline device and plans the updates of its timeline. Does
  /// nothing if the graph is initialized already.
  func prepare(
    _ patch: BuiltPatch, _ reading: PatchReader.Result, _ surroundings: PatchSurroundings,
    hasTaps: Bool = true
  ) throws(CommandFailure) {
    guard let graph = patch.graph, !graph.isInitialized else { return }
    do throws(Violation) { try graph.initialize() } catch { throw report(error, of: patch) }
    guard !patch.updates.isEmpty else { return }
    let live = LivePatch(patch, from: reading, in: surroundings, hasTaps: hasTaps)
    do throws(LivePatch.Refusal) { try live?.planUpdates(upTo: .infinity) } catch {
      throw error.failure(ExitStatus.unavailable)
    }
  }
}

extension SoundFileReader {
  /// Opens the file that stands for the microphone; `nil` for no path.
  static func opened(asInput path: String?) throws(CommandFailure) -> SoundFileReader? {
    guard let path else { return nil }
    do throws(SoundFileError) { return try SoundFileReader(path: path) } catch {
      throw CommandFailure(ExitStatus.unavailable, error.message)
    }
  }
}
