import AudioGraphs
import AudioTypes
import Diagnostics
import Foundation
import PatchGraph
import PatchSyntax
import RenderHost
import TestSupport
import Testing

/// `validate`, `initialize`, `update`, `render` and `run` agree on every patch.
///
/// `PATCHRUN_PROPERTY_EFFORT=17 swift test --filter AgreementTests` checks 5,000 patches in the
/// process, and one of ten of them with the program itself.
@Suite struct AgreementTests {
  private static let count = 300

  /// A temporary folder of a patch and its sub-graphs.
  private final class Folder: TemporaryFolder {
    func write(_ patch: WidePatch) throws {
      for name in try fileNames() {
        try FileManager.default.removeItem(at: url.appending(path: name))
      }
      for (name, text) in patch.parts { try write(text, to: name) }
      try write(patch.document.document, to: "patch.json")
    }
  }

  /// Whether `validate` accepts a patch, and the first refusal after it; `nil` for none. Does what
  /// `render` does before it begins: initializes the graph and makes every update of the timeline.
  private static func refusal(_ patch: WidePatch, in folder: Folder) -> (isRight: Bool, String?) {
    let source = SourceText(name: "patch.json", text: patch.document.document)
    let reading = PatchReader.read(source)
    let built = PatchBuilder.build(reading, directory: folder.url.path)
    if let error = built.diagnostics.first(where: { $0.severity == .error }) {
      return (false, patch.isRight ? "a right patch is refused: \(error.message)" : nil)
    }
    guard let graph = built.graph else { return (true, "there is no graph, and no error") }
    do throws(Violation) {
      try graph.initialize()
    } catch {
      return (true, "initialize: \(error.message)")
    }
    defer { graph.close() }
    guard !built.updates.isEmpty else { return (true, nil) }
    let live = LivePatch(built, from: reading, directory: folder.url.path)
    do throws(LivePatch.Refusal) {
      try live?.planUpdates(upTo: .infinity)
    } catch {
      return (true, "update: \(error)")
    }
    return (true, nil)
  }

  @Test(arguments: 0..<4)
  func `what validate finds nothing wrong with initializes, and so do all its updates`(
    part: Int
  ) throws {
    let folder = try Folder()
    var right = 0
    var parted = 0
    var updated = 0
    var tapped = 0
    let count = Self.count * PatchProperties.effort / 4
    for index in 0..<count {
      let patch = WidePatch(seed: UInt64(index * 4 + part))
      try folder.write(patch)
      let (isRight, refusal) = Self.refusal(patch, in: folder)
      if isRight { right += 1 }
      if isRight, !patch.parts.isEmpty { parted += 1 }
      if isRight, patch.document["timeline"]?.count != 0 { updated += 1 }
      if isRight, patch.document["taps"] != nil { tapped += 1 }
      guard let refusal else { continue }
      Issue.record(
        "seed \(index * 4 + part): \(refusal)\n\(patch.document.document)\n\(patch.parts)")
      return
    }
    // There are enough valid patches of each kind, and invalid ones.
    #expect(right > count / 3 && right < count)
    #expect(min(parted, updated, tapped) > count / 20)
  }

  @Test(arguments: 0..<2)
  func `the program renders what it has found nothing wrong with`(part: Int) throws {
    let folder = try Folder()
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "patchrun").path
    func status(_ arguments: String...) throws -> Int32 {
      let process = try ChildProcess(
        "/bin/sh", ["-c", "cd '\(folder.url.path)' && exec '\(program)' \"$@\"", "sh"] + arguments,
        environment: ["PATH": "/usr/bin:/bin", "PULSE_SERVER": "unix:/nowhere/native"],
        output: "/dev/null", errors: folder.url.path + "/.errors")
      return process.wait()
    }
    let count = Self.count * PatchProperties.effort / 10 / 2
    for index in 0..<count {
      let seed = UInt64(index * 20 + part * 7)
      let patch = WidePatch(seed: seed)
      try folder.write(patch)
      let isRight = try status("validate", "patch.json") == 0
      let rendered = try status(
        "render", "patch.json", "--duration", "1", "--allow-silence", "-o", "result.wav")
      let isRefused = rendered == 1 || rendered == 3
      // A missing folder is only found when the recording begins.
      let said = (try? String(contentsOfFile: folder.url.path + "/.errors", encoding: .utf8)) ?? ""
      guard isRight == !isRefused else {
        Issue.record(
          """
          seed \(seed): validate says \(isRight), render ends with \(rendered)
          \(said)
          \(patch.document.document)
          \(patch.parts)
          """)
        return
      }
    }
  }
}
