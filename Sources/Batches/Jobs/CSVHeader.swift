import Diagnostics
import PatchSyntax

/// The header line of a CSV manifest (RFC 4180, one line for each job).
///
/// A column is named like a member of a job, such as `id` or `duration`. A column named by a JSON
/// Pointer has the values of a setting; `input:POINTER` and `input:microphone` have inputs;
/// `output:PLACE` has one of several outputs. A setting that is not JSON is a string. An empty cell
/// is ignored.
struct CSVHeader {
  private let columns: [String]

  private static let numbers = ["duration", "quality", "integratedLoudness", "truePeakAtMost"]
  private static let texts = ["id", "patch", "output", "format", "measure"]

  init(_ line: [UInt8]) throws(JobFault) {
    columns = try Self.cells(
      line.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(line.dropFirst(3)) : line)
    var seen: Set<String> = []
    for column in columns {
      let isPlace =
        column.hasPrefix("/") || column.hasPrefix("input:") || column.hasPrefix("output:")
      guard isPlace || (Self.texts + Self.numbers).contains(column) else {
        throw JobFault(
          BatchRules.line, "there is no column \(quoted(column))",
          help: [
            didYouMean(column, among: Self.texts + Self.numbers)
              ?? "there are \((Self.texts + Self.numbers).joined(separator: ", ")), JSON Pointers, "
              + "'input:' and 'output:'"
          ])
      }
      guard seen.insert(column).inserted else {
        throw JobFault(BatchRules.line, "there are two columns \(quoted(column))")
      }
    }
  }

  /// The job of a line as JSON.
  func json(_ line: [UInt8]) throws(JobFault) -> [UInt8] {
    let cells = try Self.cells(line)
    guard cells.count == columns.count else {
      throw JobFault(
        BatchRules.line, "there are \(cells.count) cells below \(columns.count) columns")
    }
    var members: [JSONText.Member] = []
    var settings: [JSONText.Member] = []
    var inputs: [JSONText.Member] = []
    var outputs: [JSONText.Member] = []
    var normalize: [JSONText.Member] = []
    for (column, cell) in zip(columns, cells) where !cell.isEmpty {
      if column.hasPrefix("/") {
        settings.append(.init(column, Self.value(cell)))
      } else if column.hasPrefix("input:") {
        inputs.append(.init(String(column.dropFirst(6)), .string(cell)))
      } else if column.hasPrefix("output:") {
        outputs.append(.init(String(column.dropFirst(7)), .string(cell)))
      } else if Self.numbers.contains(column) {
        guard let number = Double(cell), number.isFinite else {
          throw JobFault(BatchRules.line, "\(quoted(cell)) is no number, below \(quoted(column))")
        }
        let isNormalization = column != "duration" && column != "quality"
        if isNormalization {
          normalize.append(.init(column, .number(number)))
        } else {
          members.append(.init(column, .number(number)))
        }
      } else if column == "measure" {
        members.append(.init(column, .strings(cell.split(separator: " ").map(String.init))))
      } else {
        members.append(.init(column, .string(cell)))
      }
    }
    if !outputs.isEmpty {
      if let own = members.firstIndex(where: { $0.name == "output" }) {
        outputs.insert(.init(BatchJob.device, members.remove(at: own).value), at: 0)
      }
      members.append(.init("output", .object(outputs)))
    }
    for (name, inside) in [("settings", settings), ("inputs", inputs), ("normalize", normalize)]
    where !inside.isEmpty { members.append(.init(name, .object(inside))) }
    return Array(JSONText.object(members).compact.utf8)
  }

  private static func value(_ cell: String) -> JSONText {
    let reading = JSONReader.read(SourceText(name: "cell", text: cell), dialect: .json)
    guard !reading.hasErrors, let root = reading.tree?.root else { return .string(cell) }
    return JSONText(root)
  }

  /// The cells of a line without their quotes.
  static func cells(_ line: [UInt8]) throws(JobFault) -> [String] {
    var cells: [String] = []
    var cell: [UInt8] = []
    var rest = line[...]
    let quote = UInt8(ascii: "\"")
    while true {
      if rest.first == quote {
        rest.removeFirst()
        while true {
          guard let byte = rest.popFirst() else {
            throw JobFault(BatchRules.line, "a quotation is not closed on its line")
          }
          if byte == quote {
            guard rest.first == quote else { break }
            rest.removeFirst()
          }
          cell.append(byte)
        }
      }
      while let byte = rest.first, byte != UInt8(ascii: ",") {
        cell.append(byte)
        rest.removeFirst()
      }
      cells.append(String(decoding: cell, as: UTF8.self))
      cell = []
      guard !rest.isEmpty else { return cells }
      rest.removeFirst()
    }
  }

  /// A text as a cell, quoted if necessary.
  static func cell(_ text: String) -> String {
    let isPlain = !text.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
    if isPlain { return text }
    return "\""
      + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
