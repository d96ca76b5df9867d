import Diagnostics
import PatchSyntax
import YAMLSyntax

/// Reads YAML, each value with its range in the text.
struct YAMLReader {
  private let source: SourceText
  private var count = 0

  /// The greatest number of values of a document, including those that aliases repeat.
  private static let maximumValues = 100_000
  private static let maximumAliases = 24
  /// The greatest depth of a value; that of the document is 0.
  private static let maximumDepth = 64

  static func read(_ reading: inout ImportReading) throws(ImportRefused) -> ConfigValue {
    let source = reading.source
    guard aliasCount(in: source.bytes) <= maximumAliases else {
      reading.report(
        ImportRules.size, "the document has more than \(maximumAliases) aliases", at: 0..<0)
      throw ImportRefused()
    }
    var reader = YAMLReader(source: source)
    let document: YAMLDocument?
    do throws(YAMLError) {
      document = try YAMLDocument(source.bytes, maximumDepth: maximumDepth + 1)
    } catch { throw reader.refuse(error, &reading) }
    guard let document else {
      throw reading.refuse("the document is empty", at: 0..<0)
    }
    guard let value = try reader.value(document, 0, depth: 0, &reading) else {
      throw reader.refuseSize(at: document.nodes[0].mark, &reading)
    }
    return value.withPointers()
  }

  private func refuseSize(
    at mark: YAMLDocument.Mark, _ reading: inout ImportReading
  ) -> ImportRefused {
    reading.report(
      ImportRules.size,
      "the document has more than 100,000 values, or is more than \(Self.maximumDepth) deep",
      at: range(mark, ""))
    return ImportRefused()
  }

  private init(source: SourceText) { self.source = source }

  /// The number of possible aliases: asterisks in front of a word.
  private static func aliasCount(in bytes: [UInt8]) -> Int {
    zip(bytes, bytes.dropFirst()).count { $0 == UInt8(ascii: "*") && $1 > 0x20 }
  }

  private func refuse(_ error: YAMLError, _ reading: inout ImportReading) -> ImportRefused {
    switch error {
    case .noLibrary(let why):
      return reading.refuse("libyaml, which reads YAML, cannot be loaded (\(why))", at: 0..<0)
    case .tooDeep(let mark): return refuseSize(at: mark, &reading)
    case .noMemory: return reading.refuse("there is not enough memory to read it", at: 0..<0)
    case .unreadable(let byte):
      return reading.refuse(
        "the text is no YAML: a character is not allowed in it",
        at: min(byte, source.bytes.count)..<min(byte + 1, source.bytes.count))
    case .wrong(let problem, let mark):
      let place = range(mark, "")
      // libyaml reports a tab with the same words as any character that begins no token.
      let isTab = source.bytes[place].first == UInt8(ascii: "\t")
      return reading.refuse(
        "the YAML is wrong: \(problem)", at: place,
        help: isTab ? "YAML is indented by blanks, not by tabs" : nil)
    }
  }

  /// The range of a value that begins at a mark.
  private func range(_ mark: YAMLDocument.Mark, _ text: String) -> SourceRange {
    guard (1...source.lineCount).contains(mark.line) else { return 0..<0 }
    let line = source.range(ofLine: mark.line)
    let scalars = source[line].unicodeScalars.prefix(max(0, mark.column - 1))
    let start = line.lowerBound + scalars.reduce(0) { $0 + $1.utf8.count }
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty, source.bytes[start...].starts(with: bytes) else {
      return start..<min(start + 1, source.bytes.count)
    }
    return start..<(start + bytes.count)
  }

  /// The value of a node; `nil` where there are too many values, or the nesting is too deep.
  private mutating func value(
    _ document: YAMLDocument, _ index: Int, depth: Int, _ reading: inout ImportReading
  ) throws(ImportRefused) -> ConfigValue? {
    count += 1
    guard count <= Self.maximumValues, depth <= Self.maximumDepth else { return nil }
    let node = document.nodes[index]
    switch node.content {
    case .scalar(let text, let isPlain):
      return ConfigValue(
        content: isPlain ? Self.content(of: text) : .text(text), range: range(node.mark, text))
    case .sequence(let sequence):
      var values: [ConfigValue] = []
      for index in sequence {
        guard let value = try value(document, index, depth: depth + 1, &reading) else { return nil }
        values.append(value)
      }
      return ConfigValue(content: .list(values), range: range(node.mark, ""))
    case .mapping(let mapping):
      var members: [ConfigValue.Member] = []
      var names: Set<String> = []
      for (key, index) in mapping {
        guard let value = try value(document, index, depth: depth + 1, &reading) else { return nil }
        guard case .scalar(let name, _) = document.nodes[key].content else {
          throw reading.refuse("a key is not a text", at: range(document.nodes[key].mark, ""))
        }
        let range = range(document.nodes[key].mark, name)
        guard names.insert(name).inserted else {
          throw reading.refuse("a group has a key twice: '\(name)'", at: range)
        }
        members.append(.init(key: name, range: range, value: value))
      }
      return ConfigValue(content: .map(members), range: range(node.mark, ""))
    }
  }

  /// The value of a word without quotes by the core schema of YAML 1.2, in which `on` and `yes` are
  /// texts.
  private static func content(of text: String) -> ConfigValue.Content {
    switch text {
    case "", "~", "null", "Null", "NULL": return .null
    case "true", "True", "TRUE": return .bool(true)
    case "false", "False", "FALSE": return .bool(false)
    default: return NumberText.value(of: text).map { .number($0) } ?? .text(text)
    }
  }
}
