import Diagnostics
import PatchSyntax

/// Reading JSON whose places do not matter.
enum JSONReading {
  /// The value of a text; `nil` for one that is not JSON.
  static func value(of text: String) -> JSONValue? {
    let reading = JSONReader.read(
      SourceText(name: "", bytes: Array(text.utf8)), dialect: .json)
    return reading.hasErrors ? nil : reading.tree?.root
  }
}
