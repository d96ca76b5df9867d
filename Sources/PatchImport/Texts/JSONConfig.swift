import Diagnostics
import PatchSyntax

/// Reads JSON with the reader of patches.
enum JSONConfig {
  static func read(_ reading: inout ImportReading) throws(ImportRefused) -> ConfigValue {
    let result = JSONReader.readStrictly(reading.source)
    guard let tree = result.tree else {
      for diagnostic in result.diagnostics { reading.findings.append(diagnostic) }
      throw ImportRefused()
    }
    return value(tree.root).withPointers()
  }

  private static func value(_ json: JSONValue) -> ConfigValue {
    let content: ConfigValue.Content =
      switch json.kind {
      case .null, .invalid: .null
      case .bool: .bool(json.bool ?? false)
      case .number: .number(json.number ?? .infinity)
      case .string: .text(json.string ?? "")
      case .array: .list(json.elements.map(value))
      case .object:
        .map(
          json.members.map {
            .init(key: $0.key.string ?? "", range: $0.key.range, value: value($0.value))
          })
      }
    return ConfigValue(content: content, range: json.markRange)
  }
}
