import Control
import PatchSyntax

/// OSC datagrams, and what they set in a document.
final class OSCFuzzer: Fuzzer {
  private let document = FuzzedPatch.document

  func take(_ bytes: [UInt8]) {
    guard let packet = try? OSCReader.read(bytes),
      let root = JSONReading.document(document)
    else { return }
    take(packet, root)
  }

  private func take(_ packet: OSCPacket, _ root: JSONValue) {
    switch packet {
    case .bundle(_, let packets): for packet in packets { take(packet, root) }
    case .message(let message):
      let edits = OSCSettings.edits(of: message, in: root)
      guard !edits.isEmpty else { return }
      // What leads into a value that has nothing inside is refused, and why is said.
      if case .refused(let diagnostics) = SettingEdit.apply(edits, to: root.tree).change {
        demand(!diagnostics.isEmpty, "a message is refused without a word: \(edits)")
      }
    }
  }
}
