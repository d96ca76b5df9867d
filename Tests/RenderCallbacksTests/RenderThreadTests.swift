import Foundation
import Testing

struct RenderThreadTests {
  /// The attribute of the requirement does not apply to a conformance. Only the source text shows
  /// which kernels the compiler has checked.
  @Test
  func `each kernel is checked by the compiler`() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Sources/RenderCallbacks")
    var count = 0
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    for file in files.filter({ $0.hasSuffix(".swift") }).map({ folder.appending(path: $0) }) {
      let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
      for (line, next) in zip(lines, lines.dropFirst()) where next.contains("func render(_ ") {
        count += 1
        #expect(line.trimmingCharacters(in: .whitespaces) == "@_noLocks", "\(file.path): \(next)")
      }
    }
    #expect(count >= 14)
  }
}
