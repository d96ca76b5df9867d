import AudioTypes
import Diagnostics
import FileAccess
import Foundation
import PatchImport
import TestSupport
import Testing

/// Malicious and damaged files.
@Suite struct HostileImportTests {
  private static func read(
    _ text: String, _ dialect: ImportDialect, folder: String = "/nowhere"
  ) -> FilterImport.Result? {
    FilterImport.read(
      SourceText(name: "x", text: text), from: dialect, ImportOptions(folder: folder))
  }

  @Test func `aliases of aliases take no memory`() throws {
    var text = "a: &a [1,1,1,1,1,1,1,1,1]\n"
    for (one, other) in zip("bcdefghij", "abcdefghi") {
      text += "\(one): &\(one) [*\(other),*\(other),*\(other),*\(other),*\(other),*\(other)]\n"
    }
    let result = try #require(Self.read(text, .camillaDSP))
    #expect(result.chain == nil)
    #expect(result.diagnostics.contains { $0.code == "PR1009" })
  }

  @Test(arguments: [
    (ImportDialect.camillaDSP, "["), (.camillaDSP, "- "), (.camillaDSP, "{a: "),
    (.pipeWire, "a = ["),
    (.pipeWire, "a = {"), (.pipeWire, "["), (.easyEffects, "["), (.easyEffects, "{\"a\":"),
  ])
  func `what is a hundred thousand deep is refused`(dialect: ImportDialect, opening: String) throws
  {
    let result = try #require(Self.read(String(repeating: opening, count: 100_000), dialect))
    #expect(result.chain == nil && result.diagnostics.hasErrors)
  }

  @Test(arguments: [(63, false), (64, true), (65, true), (66, true)])
  func `a value of YAML may be 64 deep`(lists: Int, isRefused: Bool) throws {
    // The list in the map of the document is 1 deep, and what the innermost list has is one deeper than that.
    let text =
      "a: " + String(repeating: "[", count: lists) + "1" + String(repeating: "]", count: lists)
    let result = try #require(Self.read(text, .camillaDSP))
    #expect(result.diagnostics.contains { $0.code == "PR1009" } == isRefused)
  }

  @Test func `brackets and signs of an expression are limited`() throws {
    for text in [
      String(repeating: "(", count: 50_000), String(repeating: "!", count: 50_000) + "1",
      String(repeating: "2^", count: 50_000) + "1", String(repeating: "-", count: 50_000) + "1",
    ] {
      let result = try #require(Self.read("Eval: a = \(text)\nPreamp: `a` dB\n", .equalizerAPO))
      #expect(result.chain != nil)
    }
  }

  @Test func `a file that includes itself is refused`() throws {
    let folder = try TemporaryFolder()
    try folder.write("Include: self.txt\n", to: "self.txt")
    let result = try #require(
      Self.read("Include: self.txt\n", .equalizerAPO, folder: folder.path))
    #expect(result.chain == nil)
    #expect(result.diagnostics.contains { $0.code == "PR1007" })
  }

  @Test(arguments: ["/etc/hostname", "../../etc/hostname", "link.txt", "/proc/self/environ"])
  func `a file elsewhere is not read`(path: String) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link.txt"), withDestinationPath: "/etc/hostname")
    let result = try #require(
      Self.read("Include: \(path)\nPreamp: -1 dB\n", .equalizerAPO, folder: folder.path))
    #expect(result.diagnostics.contains { $0.code == "PR1007" })
    #expect(result.source.bytes.count < 100)
  }

  @Test func `a text of another encoding is read`() throws {
    let text = "Preamp: -3 dB\r\nFilter 1: ON PK Fc 100 Hz Gain 2 dB Q 1\r\n"
    var bytes: [UInt8] = [0xFF, 0xFE]
    for unit in text.utf16 { bytes += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    let plain = Array(text.utf8)
    for source in [bytes, [0xEF, 0xBB, 0xBF] + plain, Array("# caf".utf8) + [0xE9, 10] + plain] {
      let result = try #require(
        FilterImport.read(
          SourceText(name: "x", bytes: source), from: .equalizerAPO, ImportOptions()))
      #expect(result.chain?.stages.count == 2)
      #expect(result.diagnostics.filter { $0.code != "PR1008" }.isEmpty)
    }
  }

  @Test(arguments: [
    ("Fc 63,80 Hz Gain -5,00 dB Q 8,060", 63.8), ("Fc 1.250 Hz Gain -5,00 dB Q 8,06", 1250),
    ("Fc 1\u{A0}250 Hz Gain -5.0 dB Q 8.06", 1250), ("Fc 100.5H z Gain -5 dB Q 8.06", 100.5),
    ("Fc 1.250,5 Hz Gain -5,0 dB Q 8,06", 1250.5),
  ])
  func `numbers of other languages are read`(text: String, frequency: Double) throws {
    let result = try #require(Self.read("Filter 1: ON PK \(text)\n", .rew))
    guard case .section(let section)? = result.chain?.stages.first?.kind else {
      Issue.record("\(result.diagnostics)")
      return
    }
    #expect(abs(section.frequency - frequency) < 1e-9 && section.gain == -5)
    #expect(abs(section.q - 8.06) < 1e-9)
  }

  /// Bytes are lost, changed and moved. A damaged file must give a result or errors.
  @Test(arguments: ImportDialect.allCases)
  func `a broken file has an answer`(dialect: ImportDialect) throws {
    var random = SplitMix64(seed: 17)
    for example in DialectExample.all where example.dialect == dialect {
      let bytes = try [UInt8](Data(contentsOf: URL(filePath: example.path)))
      for _ in 0..<12 {
        var broken = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) where !broken.isEmpty {
          let place = Int.random(in: 0..<broken.count, using: &random)
          switch Int.random(in: 0..<4, using: &random) {
          case 0: broken.remove(at: place)
          case 1: broken[place] = UInt8.random(in: 0...255, using: &random)
          case 2: broken.insert(contentsOf: broken[place...].prefix(20), at: place)
          default: broken.removeLast(min(broken.count, 30))
          }
        }
        let result = try #require(
          FilterImport.read(
            SourceText(name: "x", bytes: broken), from: dialect,
            ImportOptions(folder: "/nowhere")))
        #expect(result.chain != nil || result.diagnostics.hasErrors)
        for diagnostic in result.diagnostics {
          #expect(diagnostic.range.upperBound <= result.source.bytes.count)
        }
        if let chain = result.chain {
          var options = PatchWriter.Options()
          options.responseName = nil
          _ = PatchWriter.write(chain, options)
        }
      }
    }
  }
}
