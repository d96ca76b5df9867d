import Foundation
import TestSupport
import Testing

/// Every public name of the library products has a documentation comment.
///
/// Exceptions are names that are documented elsewhere: requirements of protocols; initializers that
/// set properties of the same names; numbers of parameters and properties, whose units, ranges and
/// meanings are in the description of the audio unit.
@Suite struct PublicNameTests {
  /// The modules of the libraries in `Package.swift`.
  static let modules: Set<String> = [
    "AudioTypes", "RenderCore", "VoiceProcessing", "AudioUnits", "FileAccess", "SoundFiles",
    "RenderCallbacks", "RenderTaps", "RenderHost", "AudioGraphs", "PulseIO", "Pictures",
    "PictureTaps",
  ]

  /// Requirements of protocols of the standard library.
  static let standard: Set<String> = [
    "var description", "var debugDescription", "var rawValue", "func hash(into:)", "typealias Body",
  ]

  /// The part of a declaration that identifies it: `func peak(of:in:)`, `var count`, `init(_:)`.
  struct Name: CustomStringConvertible {
    var kind: String
    var text: String
    /// The internal names of the parameters of a function or an initializer.
    var parameters: [String] = []

    var description: String { text }
  }

  /// The declaration that begins in a line; `nil` for none.
  static func name(at index: Int, of lines: [String]) -> Name? {
    let modifiers =
      "(?:@\\w+(?:\\([^)]*\\))? )*(?:(?:public|package|static|class|nonisolated|final|mutating|nonmutating"
      + "|indirect|convenience|required|lazy|borrowing|consuming|(?:private|internal|fileprivate|package)"
      + "\\(set\\)) )*"
    guard
      let declaration = try? Regex(
        "^" + modifiers
          + "(struct|class|enum|protocol|actor|typealias|func|init|var|let|subscript)\\b\\??\\s*([\\w`]+|[^\\s(<]+)?"
      ),
      let match = lines[index].firstMatch(of: declaration), let kind = match.output[1].substring
    else { return nil }
    let word = match.output[2].substring.map(String.init) ?? ""
    guard ["func", "init", "subscript"].contains(kind) else {
      return Name(kind: String(kind), text: "\(kind == "let" ? "var" : kind) \(word)")
    }
    var text = lines[index]
    var next = index + 1
    while text.count(where: { $0 == "(" }) > text.count(where: { $0 == ")" }), next < lines.count {
      text += " " + lines[next]
      next += 1
    }
    let parts = parameters(of: text)
    let labels = parts.map { ($0.first ?? "_") + ":" }.joined()
    return Name(
      kind: String(kind), text: kind == "func" ? "func \(word)(\(labels))" : "\(kind)(\(labels))",
      parameters: parts.compactMap(\.last))
  }

  /// The names before the colon of each parameter.
  private static func parameters(of text: String) -> [[String]] {
    guard let start = text.firstIndex(of: "(") else { return [] }
    var depth = 0
    var parts: [String] = [""]
    var last: Character = " "
    for character in text[start...] {
      if "([{<".contains(character) { depth += 1 }
      if ")]}".contains(character) || character == ">" && last != "-" { depth -= 1 }
      if depth == 0 { break }
      if character == ",", depth == 1 {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
      last = character
    }
    parts[0].removeFirst()
    return parts.compactMap { part in
      guard let head = part.split(separator: ":").first else { return nil }
      let words = head.split(separator: " ").filter { !$0.hasPrefix("@") }.map(String.init)
      return words.isEmpty ? nil : words
    }
  }

  /// The requirements of the protocols in some files.
  static func requirements(_ files: [HouseSource]) -> Set<String> {
    var found: Set<String> = []
    for file in files {
      var depth = 0
      for (index, line) in file.lines.enumerated() where !line.hasPrefix("//") {
        let isProtocol =
          line.contains("protocol ") && line.contains(#/^(public |package )?protocol /#)
        if depth == 0, !isProtocol { continue }
        if depth == 1, let name = name(at: index, of: file.lines) { found.insert(name.text) }
        depth += line.count { $0 == "{" } - line.count { $0 == "}" }
      }
    }
    return found
  }

  /// The public names of a file without documentation.
  static func undocumented(_ file: HouseSource, requirements: Set<String>) -> [String] {
    let lines = file.lines
    return lines.indices.compactMap { index in
      guard lines[index].contains("public "),
        lines[index].contains(#/^(@\w+(\([^)]*\))? )*public /#),
        !lines[index].contains(#/\b(override|import)\b/#),
        let name = name(at: index, of: lines)
      else { return nil }
      var above = index - 1
      while above >= 0, lines[above].hasPrefix("@") || lines[above].contains(#/^//[^/]/#) {
        above -= 1
      }
      if above >= 0, lines[above].hasPrefix("///") { return nil }
      if requirements.contains(name.text) || standard.contains(name.text) { return nil }
      // Operators that the standard library requires, whatever the names of their operands.
      if name.text.hasPrefix("func ==(") || name.text.hasPrefix("func <(") { return nil }
      if lines[index].contains(#/static let \w+ = PropertyID\(|static let \w+: UInt32 = \d/#) {
        return nil
      }
      let isMemberwise = name.parameters.allSatisfy { parameter in
        file.text.contains("var \(parameter):") || file.text.contains("let \(parameter):")
          || file.text.contains("var \(parameter) =")
      }
      if name.kind == "init", isMemberwise { return nil }
      return name.text
    }
  }

  @Test func `a public name of the libraries is documented`() {
    let requirements = Self.requirements(House.sources)
    #expect(requirements.contains("func makeKernels(_:controls:)"))
    for file in House.sources where Self.modules.contains(file.room) {
      let names = Self.undocumented(file, requirements: requirements)
      #expect(names.isEmpty, "\(file.path): \(names.joined(separator: ", "))")
    }
  }

  @Test func `a name without a comment is found`() {
    let text = """
      /// Of a box.
      public protocol Lid {
        /// Whether it is open.
        var isOpen: Bool { get }
        /// Opens it.
        func open(_ width: Int, by hand: Bool)
      }
      /// A box.
      public struct Box: Lid {
        public var isOpen = false
        /// In metres.
        public var width: Double
        public var height: Double
        public init(width: Double) { self.width = width }
        public init(side: Double) { self.init(width: side) }
        @inlinable
        public func open(_ width: Int, by hand: Bool) {}
        // A plain comment is for whoever changes it.
        public func close() {}
        func turn() {}
      }

      """
    let file = HouseSource(path: "Sources/X/Box.swift", text: text)
    let found = Self.undocumented(file, requirements: Self.requirements([file]))
    #expect(found == ["var height", "init(side:)", "func close()"])
  }
}
