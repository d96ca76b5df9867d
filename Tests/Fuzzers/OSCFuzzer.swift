import Control
import PatchSyntax

/// OSC datagrams and the settings that they change in a document.
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
      // A path into a value without members must be refused with a reason.
      if case .refused(let diagnostics) = SettingEdit.apply(edits, to: root.tree).change {
        demand(!diagnostics.isEmpty, "a message is refused without a word: \(edits)")
      }
    }
  }
}
