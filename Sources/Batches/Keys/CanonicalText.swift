import PatchSyntax

/// The canonical text of an expanded patch: its members are sorted by name, comments are left out,
/// and a gap stands for the digest of each file that the patch reads.
struct CanonicalText: Sendable {
  /// The text between the gaps.
  private(set) var pieces: [[UInt8]] = []
  /// The file of each gap.
  private(set) var files: [String] = []

  /// - Parameters:
  ///   - document: An expanded patch.
  ///   - file: Returns the file if a string is the path of a file to read; `nil` for other strings.
  ///   - output: Returns whether a string is the path of a file to write.
  init(_ document: JSONText, file: (String) -> String?, output: (String) -> Bool) {
    var writer = Writer(constants: [:])
    for member in document.members where member.name == "constants" {
      for constant in member.value.members {
        writer.constants["$" + constant.name] = constant.value
      }
    }
    var kept = document.members.filter { !Self.withoutEffect.contains($0.name) }
    for index in kept.indices where kept[index].name == "connections" {
      kept[index].value = Self.shortened(kept[index].value)
    }
    writer.write(.object(kept), file, output)
    writer.pieces.append(Array(writer.text.utf8))
    pieces = writer.pieces
    files = writer.files
  }

  /// Members that do not affect the sound.
  private static let withoutEffect: Set<String> = [
    "$schema", "schemaVersion", "title", "comment", "constants",
  ]

  /// Writes an address of bus 0, such as `mixer:0`, as `mixer`.
  private static func shortened(_ connections: JSONText) -> JSONText {
    guard case .array(let all) = connections else { return connections }
    return .array(
      all.map { connection in
        .object(
          connection.members.map { end in
            guard case .string(let text) = end.value, text.hasSuffix(":0") else { return end }
            return .init(end.name, .string(String(text.dropLast(2))))
          })
      })
  }

  private struct Writer {
    var constants: [String: JSONText]
    var text = ""
    var pieces: [[UInt8]] = []
    var files: [String] = []

    mutating func write(
      _ value: JSONText, _ file: (String) -> String?, _ output: (String) -> Bool
    ) {
      switch value {
      case .object(let members):
        text += "{"
        for member in members.sorted(by: { $0.name < $1.name }) {
          text += JSONText.string(member.name).compact + ":"
          write(member.value, file, output)
          text += ","
        }
        text += "}"
      case .array(let values):
        text += "["
        for value in values {
          write(value, file, output)
          text += ","
        }
        text += "]"
      case .string(let string):
        // A string constant is written as its value, so that its name makes no difference.
        if case .string(let meant)? = constants[string] {
          text += "$" + JSONText.string(meant).compact
        } else if let path = file(string) {
          text += "file "
          pieces.append(Array(text.utf8))
          files.append(path)
          text = ""
        } else if output(string) {
          let ending = string.split(separator: ".").last.map(String.init) ?? ""
          text += "output " + JSONText.string(ending).compact
        } else {
          text += JSONText.string(string).compact
        }
      default: text += value.compact
      }
    }
  }
}
