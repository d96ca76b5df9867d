import AudioTypes
import Foundation
import PatchGraph
import TestSupport
import Testing

/// Rules for the structure of the sources. Lists of exceptions may only get shorter.
@Suite struct HouseTests {
  @Test func `the sources are found`() {
    #expect(House.sources.count > 400)
    #expect(House.rooms.contains("RenderCore") && House.rooms.contains("patchrun"))
  }

  // MARK: Rooms

  /// Rooms that may import rooms below them: measurements use the scenes of the tests.
  static let upward: [String: Set<String>] = ["patchrun-bench": ["TestSupport"]]

  @Test func `a room imports only rooms that stand above it`() throws {
    for source in House.sources {
      let place = try #require(House.rooms.firstIndex(of: source.room), "\(source.path)")
      for module in source.imports {
        guard let other = House.rooms.firstIndex(of: module) else { continue }
        let isAllowed = Self.upward[source.room]?.contains(module) == true
        #expect(other < place || isAllowed, "\(source.path) imports \(module)")
      }
    }
  }

  // MARK: Sizes

  /// Files of more than 500 lines, with their limits.
  static let longFiles: [String: Int] = [
    "Sources/AudioGraphs/Plan/Preparation.swift": 575
  ]

  @Test func `files have up to 500 lines`() {
    for source in House.sources {
      #expect(source.lines.count <= Self.longFiles[source.path] ?? 500, "\(source.path)")
    }
    for path in Self.longFiles.keys {
      let lines = House.sources.first { $0.path == path }?.lines.count ?? 0
      #expect(lines > 500, "\(path) is no exception any more")
    }
  }

  @Test func `folders have up to 25 files`() {
    for (folder, files) in Dictionary(grouping: House.sources, by: \.folder) {
      #expect(files.count <= 25, "\(folder) has \(files.count)")
    }
  }

  // MARK: Circles

  /// For each room, the code lines of its largest cycle of files if it has more than 250. Files
  /// form a cycle if each refers to a type of another, directly or indirectly.
  static let circles: [String: Int] = [
    "AudioGraphs": 810, "AudioTypes": 410, "AudioUnits": 775, "Control": 255, "PatchGraph": 3605,
    "PatchReference": 950, "PatchRendering": 375, "PatchSyntax": 450, "PictureTaps": 870,
    "Pictures": 320, "PulseIO": 545, "RenderCallbacks": 765, "RenderCore": 810,
    "RenderTaps": 255, "patchrun": 1070,
  ]

  /// Lines that are neither empty nor comments: documentation should not count.
  static func codeLines(_ file: HouseSource) -> Int {
    file.lines.count { !$0.isEmpty && !$0.hasPrefix("//") }
  }

  @Test func `files of a room are in no large circle`() {
    for (room, files) in Dictionary(grouping: House.sources, by: \.room) {
      let uses = Self.uses(files)
      for circle in Self.circles(uses) {
        let lines = circle.reduce(0) { $0 + Self.codeLines(files[$1]) }
        let names = circle.map { files[$0].path.split(separator: "/").last ?? "" }.sorted()
        #expect(
          lines <= max(250, Self.circles[room] ?? 0),
          "\(room): \(lines) lines in \(names.count) files: \(names.joined(separator: ", "))")
      }
    }
  }

  @Test func `a circle is found`() {
    let files = [("A", "B"), ("B", "C"), ("C", "A"), ("D", "A")].map { name, other in
      HouseSource(path: "Sources/X/\(name).swift", text: "struct \(name) { var x: \(other) }\n")
    }
    #expect(Self.circles(Self.uses(files)) == [[0, 1, 2]])
  }

  /// For each file, the files whose types it names.
  static func uses(_ files: [HouseSource]) -> [Set<Int>] {
    let types = files.map(\.types)
    let words = files.map(\.words)
    return files.indices.map { file in
      let named = words[file].subtracting(types[file])
      return Set(files.indices.filter { $0 != file && !named.isDisjoint(with: types[$0]) })
    }
  }

  /// Strongly connected groups of more than one file.
  static func circles(_ uses: [Set<Int>]) -> Set<Set<Int>> {
    let reached = uses.indices.map { start in
      var seen: Set<Int> = []
      var waiting = Array(uses[start])
      while let next = waiting.popLast() {
        if seen.insert(next).inserted { waiting += uses[next] }
      }
      return seen
    }
    return Set(
      uses.indices.compactMap { one in
        guard reached[one].contains(one) else { return nil }
        return Set(uses.indices.filter { reached[one].contains($0) && reached[$0].contains(one) })
      })
  }

  // MARK: Rules

  @Test func `a code is written where its rule is declared and nowhere else`() {
    var declared: [String] = []
    for source in House.sources {
      let found = source.text.matches(of: /"(PR\d{4})"/).map { String($0.output.1) }
      let rules = source.text.matches(of: /static let \w+ = Rule\(\s*"(PR\d{4})"/)
        .map { String($0.output.1) }
      #expect(found == rules, "\(source.path)")
      declared += rules
    }
    #expect(declared.sorted() == RuleCatalog.all.map(\.code.rawValue))
  }

  @Test func `a file of rules has one`() {
    for source in House.sources where source.path.contains("/Rules/") {
      let count = source.text.matches(of: /static let \w+ = Rule\(/).count
      #expect(count <= 1, "\(source.path)")
    }
  }

  // MARK: Promises of memory and of threads

  /// The beginnings of promises that the compiler does not check.
  static let promises = ["@unchecked Sendable", "@safe"]

  /// The number of promises without a reason, by file.
  static let withoutArgument: [String: Int] = [:]

  /// Declarations with an unchecked promise and no comment near it that gives the reason.
  static func unfounded(_ source: HouseSource) -> [String] {
    source.lines.indices.compactMap { index in
      let line = source.lines[index]
      guard !line.hasPrefix("//"), line.contains("@unchecked Sendable") else { return nil }
      let around = source.lines[max(0, index - 8)...min(index + 4, source.lines.count - 1)]
      return around.contains { $0.hasPrefix("//") && $0.contains("Sendable") } ? nil : line
    }
  }

  @Test func `whoever promises to be Sendable says why`() {
    for source in House.sources {
      let unfounded = Self.unfounded(source)
      #expect(
        unfounded.count <= Self.withoutArgument[source.path] ?? 0,
        "\(source.path): \(unfounded.joined(separator: ", "))")
    }
  }

  @Test func `a promise without a reason is caught`() {
    let source = HouseSource(
      path: "Sources/X/A.swift", text: "/// A box.\nfinal class Box: @unchecked Sendable {\n}\n")
    #expect(Self.unfounded(source).count == 1)
  }

  // MARK: Back ends

  @Test func `back ends are named in one place`() {
    let rooms = Set(
      House.sources.filter { source in
        source.text.contains("AudioBackEnd")
          && source.text.contains(/(?:class|struct) \w+: (?:\w+, )*AudioBackEnd\b/)
      }.map(\.room))
    #expect(rooms.isSuperset(of: ["PulseIO", "BackEnds"]))
    // Back ends in the room of the catalogue are not public.
    for source in House.sources where source.path != "Sources/BackEnds/BackEndCatalog.swift" {
      let named = source.imports.filter { rooms.contains($0) && $0 != "BackEnds" }
      #expect(named.isEmpty, "\(source.path) imports \(named)")
    }
    for source in House.sources where source.room == "BackEnds" {
      #expect(
        !source.text.contains(/public (final )?(class|struct) .*(AudioBackEnd|LiveHardware)/),
        "\(source.path)")
    }
  }

  // MARK: Memory by hand

  /// The number of files with unsafe memory access that each room may have.
  static let unsafeFiles: [String: Int] = [
    "BackEnds": 4, "Batches": 3, "Control": 5, "FileAccess": 12, "HeadData": 3, "Panel": 1,
    "Pictures": 2,
    "PulseIO": 10, "RenderCallbacks": 9, "RenderCore": 36, "RenderHost": 15, "RenderTaps": 3,
    "SoundFiles": 14, "VoiceProcessing": 1, "YAMLSyntax": 1, "patchrun": 20, "patchrun-bench": 12,
  ]

  @Test func `few files touch memory by hand`() {
    for (room, files) in Dictionary(grouping: House.sources, by: \.room) {
      let unsafe = files.filter { file in
        file.lines.contains {
          !$0.hasPrefix("//") && ($0.contains(" unsafe ") || $0.hasPrefix("unsafe "))
        }
      }
      #expect(
        unsafe.count <= Self.unsafeFiles[room] ?? 0,
        "\(room): \(unsafe.map(\.path).joined(separator: ", "))")
    }
  }
}
