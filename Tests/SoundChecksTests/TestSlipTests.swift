import AudioTypes
import Diagnostics
import Foundation
import PatchSyntax
import SoundChecks
import TestSupport
import Testing

/// One character is added to or removed from a test file of the distribution. Nothing crashes,
/// every finding is inside the text, and one mistake is one error.
@Suite struct TestSlipTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../patches").standardized

  private static let files: [(name: String, bytes: [UInt8])] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? [])
    .filter { $0.hasSuffix(".test.json") }
    .compactMap { name in
      (try? Data(contentsOf: folder.appending(path: name))).map { (name, [UInt8]($0)) }
    }

  @Test func `a character that is missing, or one too many, is one error in 97 of 100 cases`() {
    #expect(Self.files.count >= 25)
    var random = SplitMix64(seed: 18)
    var counts: [Int: Int] = [:]
    for _ in 0..<400 {
      guard let (name, bytes) = Self.files.randomElement(using: &random) else { return }
      let place = Int.random(in: 0..<bytes.count, using: &random)
      var wrong = bytes
      if Bool.random(using: &random) {
        wrong.remove(at: place)
      } else {
        let slips = Array("{}[]\",:0-e.a \\x\n".utf8)
        wrong.insert(slips.randomElement(using: &random) ?? 0, at: place)
      }
      let file = TestFile(SourceText(name: name, bytes: wrong), directory: Self.folder.path)
      let found = TestChecker.findings(in: file)
      #expect(found.allSatisfy { $0.range.upperBound <= file.source.bytes.count })
      counts[found.filter { $0.severity == .error }.count, default: 0] += 1
    }
    let several = counts.filter { $0.key > 1 }.values.reduce(0, +)
    #expect(several <= 12, "\(counts)")
  }
}
