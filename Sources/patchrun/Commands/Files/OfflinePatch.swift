import AudioGraphs
import PatchGraph
import PatchRendering
import PatchSyntax
import SoundFiles

extension Appearance {
  /// Initializes a patch's graph for an offline device. Does nothing if it is initialized already.
  func initialize(_ patch: BuiltPatch) throws(CommandFailure) {
    guard let graph = patch.graph, !graph.isInitialized else { return }
    do throws(Violation) { try graph.initialize() } catch { throw report(error, of: patch) }
  }
}

extension LivePatch {
  /// The patch that plays on an initialized graph, with the first updates of its timeline planned; `nil` for one
  /// without updates. The render calls `planNextUpdates()`.
  static func offline(
    _ patch: BuiltPatch, _ reading: PatchReader.Result, _ surroundings: PatchSurroundings,
    hasTaps: Bool = true
  ) throws(CommandFailure) -> LivePatch? {
    guard !patch.updates.isEmpty else { return nil }
    let live = LivePatch(patch, from: reading, in: surroundings, hasTaps: hasTaps)
    do throws(Refusal) { try live?.planFirstUpdates() } catch {
      throw error.failure(ExitStatus.unavailable)
    }
    return live
  }
}

extension BuiltPatch {
  /// `frameCount(_:at:)`, with its failure as that of the command.
  func ownFrameCount(
    _ request: PatchRender.Request, at rate: Double
  ) throws(CommandFailure) -> Int? {
    do throws(PatchRender.Failure) { return try frameCount(request, at: rate) } catch {
      throw CommandFailure(ExitStatus.unavailable, error.message)
    }
  }
}

extension CommandFailure {
  /// The failure for a file that stands for the microphone of a patch that hears none.
  static var noMicrophone: CommandFailure {
    CommandFailure(
      ExitStatus.wrongUsage, "the patch hears no microphone, so that --input has no use",
      help: [
        "turn the I/O unit's input on: \"inputs\": { \"1\": { \"properties\": "
          + "{ \"enableIO\": true } } }"
      ])
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
