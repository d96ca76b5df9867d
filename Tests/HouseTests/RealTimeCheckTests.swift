import Foundation
import TestSupport
import Testing

/// What `.ci/realtime` renders under the sanitizer: every type of callback and tap of the sources.
@Suite struct RealTimeCheckTests {
  private static let kinds: Set<Substring> = [
    "struct", "class", "enum", "actor", "protocol", "extension",
  ]

  private struct Declaration {
    var isProtocol: Bool
    var name: String
    var conformances: Set<Substring>
  }

  private static func isPartOfName(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }

  /// The declarations of a file that name a type or a protocol behind a colon.
  private static func declarations(_ file: HouseSource) -> [Declaration] {
    file.lines.indices.compactMap { index in
      let line = file.lines[index]
      let words = line.split(separator: " ")
      // In front of it there are attributes and modifiers.
      guard let place = words.prefix(6).firstIndex(where: kinds.contains),
        place + 1 < words.count, !line.hasPrefix("//")
      else { return nil }
      var header = words[(place + 1)...].joined(separator: " ")
      var next = index + 1
      while !header.contains("{"), next < min(index + 6, file.lines.count) {
        header += " " + file.lines[next]
        next += 1
      }
      header = String(header.prefix { $0 != "{" })
      if let condition = header.firstRange(of: " where ") {
        header = String(header[..<condition.lowerBound])
      }
      guard let colon = header.firstIndex(of: ":") else { return nil }
      return Declaration(
        isProtocol: words[place] == "protocol",
        name: String(header.prefix(while: isPartOfName)),
        conformances: Set(header[colon...].split { !isPartOfName($0) }))
    }
  }

  /// The types that conform to one of some protocols, also through other protocols, each with its
  /// room: `RenderTaps.MeterTap`.
  static func types(_ files: [HouseSource], conformingTo roots: Set<Substring>) -> Set<String> {
    let declared = files.map { (room: $0.room, declarations: declarations($0)) }
    var protocols = roots
    var found: Set<String> = []
    var count = -1
    while count != protocols.count {
      count = protocols.count
      for (room, declarations) in declared {
        for declaration in declarations where !declaration.conformances.isDisjoint(with: protocols)
        {
          if declaration.isProtocol {
            protocols.insert(Substring(declaration.name))
          } else {
            found.insert("\(room).\(declaration.name)")
          }
        }
      }
    }
    return found
  }

  @Test func `every type of callback and tap of the sources is rendered under the sanitizer`()
    throws
  {
    let list = House.root.appending(path: "Tests/RealTimeCheck/RenderedTypes.swift")
    let listed = Set(
      try String(contentsOf: list, encoding: .utf8).matches(of: /"(\w+\.\w+)"/)
        .map { String($0.output.1) })
    let declared = Self.types(House.sources, conformingTo: ["RenderCallback", "RenderTap"])
    #expect(declared.count > 20)
    let missing = declared.subtracting(listed).sorted()
    #expect(missing.isEmpty, "RealTimeCheck does not render them: \(missing)")
    let gone = listed.subtracting(declared).sorted()
    #expect(gone.isEmpty, "RealTimeCheck's list has them, and the sources do not: \(gone)")
  }

  @Test func `a new type of tap is found`() {
    let source = HouseSource(
      path: "Sources/X/A.swift",
      text: """
        package protocol Drawing: RenderTap {}
        /// Never: struct Comment: RenderTap {}
        public struct Sketch<Line>:
          Sendable, Drawing
        {
          struct Pen: Sendable {}
        }
        extension Painting: RenderCallback {}
        struct Frame: Sendable { let tap: any RenderTap }
        func draw(_ tap: some RenderTap) {}
        """)
    #expect(
      Self.types([source], conformingTo: ["RenderCallback", "RenderTap"])
        == ["X.Sketch", "X.Painting"])
  }
}
