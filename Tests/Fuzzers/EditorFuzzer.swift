import Diagnostics
import LanguageServer
import PatchSyntax

/// Messages from an editor, with headers or one per line. Every answer must be JSON.
final class EditorFuzzer: Fuzzer {
  /// The state before the first message. It is created once, since that takes longer than most
  /// inputs.
  private static nonisolated(unsafe) let fresh = LanguageServer(version: "1")

  func document(in bytes: [UInt8], _ random: inout SeededGenerator) -> Range<Int>? {
    guard bytes.first == UInt8(ascii: "{") else { return nil }
    let line = bytes.split(separator: UInt8(ascii: "\n")).randomElement(using: &random)
    return line.map { $0.startIndex..<$0.endIndex }
  }

  func take(_ bytes: [UInt8]) {
    var server = unsafe Self.fresh
    if bytes.first == UInt8(ascii: "{") {
      for line in bytes.split(separator: UInt8(ascii: "\n")) {
        check(server.receive(Array(line)))
        check(server.findings())
        if server.exitStatus != nil { return }
      }
      return
    }
    var frames = MessageFrames()
    // In two pieces, as a pipe may deliver them.
    for piece in [bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2)] {
      frames.append(piece)
      var count = 0
      while let frame = frames.next() {
        count += 1
        demand(count <= bytes.count + 1, "there are more frames than bytes")
        switch frame {
        case .malformed(let reason): check([LanguageServer.malformed(reason)])
        case .message(let message): check(server.receive(message))
        }
      }
      check(server.findings())
      if server.exitStatus != nil { return }
    }
  }

  private func check(_ answers: [JSONText]) {
    for answer in answers {
      let text = answer.compact
      let reading = JSONReader.read(SourceText(name: "answer", text: text), dialect: .json)
      demand(!reading.hasErrors, "an answer is no JSON: \(text)")
    }
  }
}
