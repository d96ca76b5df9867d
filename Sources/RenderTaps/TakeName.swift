import AudioTypes
import FileAccess
import Glibc
package import RenderCore

/// The path of a tap's file, with `{date}`, `{time}` and `{take}` as placeholders that the
/// beginning of the run fills in. `{{` and `}}` are braces.
package struct TakeName: Hashable, Sendable {
  enum Word: String, CaseIterable, Hashable, Sendable {
    /// The local date on which the run began: `2026-11-22`.
    case date
    /// The local time at which the run began: `14-05-09`.
    case time
    /// From 1 up: the first number without a file.
    case take
  }

  private enum Piece: Hashable, Sendable {
    case text(String)
    case word(Word)
  }

  private var pieces: [Piece] = []

  /// - Throws: A problem for the first mistake in the braces.
  package init(_ path: String) throws(CallbackProblem) {
    let bytes = Array(path.utf8)
    var text: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") {
        if index + 1 < bytes.count, bytes[index + 1] == byte {
          text.append(byte)
          index += 2
          continue
        }
        guard byte == UInt8(ascii: "{"),
          let end = bytes[index...].firstIndex(of: UInt8(ascii: "}"))
        else { throw Self.lone(byte, index..<index + 1) }
        let name = String(decoding: bytes[index + 1..<end], as: UTF8.self)
        guard let word = Word(rawValue: name) else { throw Self.unknown(name, index + 1..<end) }
        if word == .take, bytes[end...].contains(UInt8(ascii: "/")) {
          throw Self.folder(index..<end + 1)
        }
        pieces += [.text(String(decoding: text, as: UTF8.self)), .word(word)]
        text = []
        index = end + 1
      } else {
        text.append(byte)
        index += 1
      }
    }
    pieces.append(.text(String(decoding: text, as: UTF8.self)))
  }

  /// Whether the path numbers its takes.
  package var isCounted: Bool { pieces.contains(.word(.take)) }

  /// The path of a take.
  ///
  /// - Parameter number: From 1 up. In a path without `{take}`, numbers from 2 up go before the
  ///   extension: `take-2.wav`.
  package func path(_ moment: TakeMoment, number: Int) -> String {
    let path = pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .word(.date): moment.date
      case .word(.time): moment.time
      case .word(.take): "\(number)"
      }
    }.joined()
    guard !isCounted, number > 1 else { return path }
    let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:))
    let name = start ?? path.startIndex
    return path[..<name] + PendingFile.name(String(path[name...]), number: number)
  }

  // MARK: - Problems

  private static var words: String { "{date}, {time} and {take}" }

  private static func lone(_ brace: UInt8, _ range: Range<Int>) -> CallbackProblem {
    let brace = Character(Unicode.Scalar(brace))
    return CallbackProblem(
      .takeName, status: .parameterError,
      brace == "{" ? "'{' is not closed" : "'}' closes nothing",
      help: "a path may have \(words) in it; a brace is written twice: '\(brace)\(brace)'",
      setting: "path", range: range)
  }

  private static func unknown(_ name: String, _ range: Range<Int>) -> CallbackProblem {
    CallbackProblem(
      .takeName, status: .parameterError, "there is no '{\(name)}' for a path",
      help: "a path may have \(words) in it", setting: "path", range: range,
      unknown: .init(name, among: Word.allCases.map(\.rawValue)))
  }

  private static func folder(_ range: Range<Int>) -> CallbackProblem {
    CallbackProblem(
      .takeName, status: .parameterError, "'{take}' is in the name of a folder",
      help: "let it count files: \"takes/take-{take}.wav\"", setting: "path", range: range)
  }
}

/// The time at which a run began, in the form for file names.
package struct TakeMoment: Hashable, Sendable {
  /// `2026-11-22`
  var date: String
  /// `14-05-09`
  var time: String

  /// - Parameter seconds: Seconds since 1970.
  init(_ seconds: Int) {
    var moment = time_t(seconds)
    var parts = unsafe tm()
    unsafe localtime_r(&moment, &parts)
    let (year, month, day) = unsafe (parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday)
    let (hour, minute, second) = unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec)
    func padded(_ number: Int32, _ width: Int = 2) -> String {
      let text = "\(number)"
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    date = "\(padded(year, 4))-\(padded(month))-\(padded(day))"
    time = "\(padded(hour))-\(padded(minute))-\(padded(second))"
  }
}
