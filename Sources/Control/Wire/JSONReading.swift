import Diagnostics
package import PatchSyntax

/// Parses JSON when source ranges do not matter.
package enum JSONReading {
  /// The value of a text; `nil` if it is not JSON.
  package static func value(of text: String) -> JSONValue? { value(of: text, .json) }

  /// The value of a document, which may contain comments and trailing commas.
  package static func document(_ text: String) -> JSONValue? { value(of: text, .jsonc) }

  private static func value(of text: String, _ dialect: JSONReader.Dialect) -> JSONValue? {
    let reading = JSONReader.read(
      SourceText(name: "", bytes: Array(text.utf8)), dialect: dialect)
    return reading.hasErrors ? nil : reading.tree?.root
  }
}
