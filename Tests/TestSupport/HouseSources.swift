public import Foundation

/// A source file of the package, for the tests of its structure.
public struct HouseSource: Sendable {
  /// Relative to the package's folder: `Sources/RenderCore/Plan/RenderPlan.swift`.
  public let path: String
  public let text: String
  /// The lines without leading and trailing blanks, and without empty lines at the end.
  public let lines: [String]

  public init(path: String, text: String) {
    self.path = path
    self.text = text
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    while lines.last?.isEmpty == true { lines.removeLast() }
    self.lines = lines
  }

  /// The target of the file.
  public var room: String { String(path.split(separator: "/")[1]) }

  public var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }

  /// The modules that it imports. Without patterns, which take half a minute for all lines.
  public var imports: [String] {
    lines.compactMap { line in
      ["import ", "public import ", "package import ", "internal import "]
        .first(where: line.hasPrefix).map { String(line.dropFirst($0.count)) }
    }
  }

  /// The words of the code, without comments and single-line string literals.
  public var words: Set<Substring> {
    let code = lines.map { line in
      line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset.isMultiple(of: 2) }.map { String($0.element) }.joined(separator: " ")
    }.map { line in line.prefix(upTo: line.firstRange(of: "//")?.lowerBound ?? line.endIndex) }
    return Set(
      code.joined(separator: "\n").split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        .map { Substring($0) })
  }

  /// The types declared in the first column, except private ones.
  public var types: Set<Substring> {
    let kinds: Set<Substring> = ["struct", "enum", "class", "protocol", "actor"]
    let modifiers: Set<Substring> = ["public", "package", "final", "indirect"]
    return Set(
      text.split(separator: "\n").filter { $0.first?.isWhitespace == false }
        .compactMap { line -> Substring? in
          let words = line.split(separator: " ")
          guard let index = words.firstIndex(where: kinds.contains), index + 1 < words.count,
            words[..<index].allSatisfy(modifiers.contains)
          else { return nil }
          return words[index + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        })
  }
}

/// The package's sources. They are read once.
public enum House {
  public static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  public static let manifest =
    (try? String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)) ?? ""

  /// The Swift files under `Sources`.
  public static let sources: [HouseSource] = {
    let files = FileManager.default.enumerator(atPath: root.appending(path: "Sources").path)
    return (files?.allObjects ?? []).compactMap { $0 as? String }
      .filter { $0.hasSuffix(".swift") }.sorted()
      .compactMap { path in
        (try? String(contentsOf: root.appending(path: "Sources/\(path)"), encoding: .utf8))
          .map { HouseSource(path: "Sources/\(path)", text: $0) }
      }
  }()

  /// The targets in the order of `Package.swift`.
  public static let rooms: [String] = manifest.matches(
    of: /\.(?:systemLibrary|target|executableTarget)\(\s*name: "([A-Za-z0-9-]+)"/
  ).map { String($0.output.1) }
}
