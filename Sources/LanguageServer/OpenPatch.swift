import AudioGraphs
import Diagnostics
import GraphDrawings
import PatchGraph
import PatchSyntax
import SoundChecks

/// A patch, or a preset, that an editor has open: the text that is typed, and what comes of reading it.
struct OpenPatch {
  let uri: String
  /// The editor's count of changes.
  var version: Int?
  var places: TextPlaces
  /// Read as far as it can be; `nil` where there is nothing to read.
  private(set) var root: JSONValue?
  /// The last text all of whose values stood where they were meant to: what is being typed breaks
  /// the one that is there now.
  private(set) var intactRoot: JSONValue?
  /// Whether it is a preset: what a node has, by itself.
  private(set) var isPreset = false
  /// Whether it is a test file.
  private(set) var isTests = false
  private(set) var diagnostics: [Diagnostic] = []
  /// What their ranges point into: the text and, behind it, those of the sub-graphs.
  private(set) var wholeSource: SourceText
  /// What initialization settles, by the last check that was drawn; `nil` while the patch is wrong.
  private(set) var drawing: GraphDrawing?
  /// The sub-graphs of the last check, with their knobs.
  private(set) var subgraphs: [PatchDocument.Subgraph] = []
  /// What has been checked and not drawn yet.
  private var undrawn: (graph: AudioGraph, document: PatchDocument)?
  private var isUnchecked = true
  /// Whether the text has changed since it was checked.
  private(set) var isStale = true
  /// Whether the editor has still to be told what is wrong.
  var isUnsent = true

  init(
    uri: String, version: Int?, text: String, encoding: PositionEncoding,
    surroundings: PatchSurroundings
  ) {
    self.uri = uri
    self.surroundings = surroundings
    self.version = version
    places = TextPlaces(
      source: SourceText(name: Self.path(of: uri) ?? uri, text: text), encoding: encoding)
    wholeSource = places.source
    read()
  }

  var source: SourceText { places.source }

  /// Puts a text in the place of a range, or of everything.
  mutating func replace(_ range: SourceRange?, with text: String) {
    var bytes = source.bytes
    bytes.replaceSubrange(range ?? 0..<bytes.count, with: Array(text.utf8))
    places.source = SourceText(name: source.name, bytes: bytes)
    markStale()
  }

  /// Reads the text again, for what is asked about it.
  mutating func read() {
    let json = JSONReader.read(source, dialect: JSONReader.Dialect(fileName: source.name))
    root = json.tree?.root
    // While it cannot be read at all it stays what it was.
    if root != nil {
      isTests = TestDocument.isTests(source)
      isPreset = !isTests && SavedPreset.isPreset(source)
    }
    if json.isStructureIntact { intactRoot = root }
  }

  mutating func markStale() {
    isStale = true
    isUnsent = true
  }

  /// Where its paths begin, and what it may do.
  let surroundings: PatchSurroundings

  /// Checks the patch as `validate` does, if it has changed.
  mutating func check(_ hardware: HardwareAssumption) {
    guard isStale else { return }
    isStale = false
    isUnchecked = false
    if isTests {
      let file = TestFile(
        source, directory: surroundings.directory, access: .init(limits: surroundings.limits))
      diagnostics = TestChecker.findings(in: file)
      wholeSource = file.source
      undrawn = nil
      drawing = nil
      return
    }
    if let preset = SavedPreset(source) {
      diagnostics = preset.diagnostics
      wholeSource = preset.source
      undrawn = nil
      drawing = nil
      return
    }
    let reading = PatchReader.read(source, limits: surroundings.limits)
    let patch = PatchBuilder.build(reading, in: surroundings, device: .assumed(hardware))
      .asWritten()
    diagnostics = patch.diagnostics
    wholeSource = patch.source
    if let document = patch.document { subgraphs = document.subgraphs }
    undrawn = nil
    if !patch.hasErrors, let graph = patch.graph, let document = patch.document {
      undrawn = (graph, document)
    } else {
      drawing = nil
    }
  }

  /// Draws the graph of the last check; the first is made here. While somebody types, what the
  /// one before has settled is good enough, and nobody waits.
  mutating func draw(_ hardware: HardwareAssumption) {
    if isUnchecked { check(hardware) }
    guard let (graph, document) = undrawn else { return }
    drawing = GraphDrawing(graph: graph, document: document, in: surroundings)
    undrawn = nil
  }

  /// The value at the end of a path, in the text of now or else the last one that was whole. What a preset
  /// has is in its only node, which has no name.
  func value(_ path: [String]) -> JSONValue? {
    guard let pointer = pointer(to: path) else { return nil }
    return root?[pointer] ?? intactRoot?[pointer]
  }

  /// The same in the text of now.
  func presentValue(_ path: [String]) -> JSONValue? {
    pointer(to: path).flatMap { root?[$0] }
  }

  private static let presetPath = ["nodes", ""]

  private func pointer(to path: [String]) -> JSONPointer? {
    guard isPreset else { return JSONPointer(path) }
    return path.starts(with: Self.presetPath) ? JSONPointer(Array(path.dropFirst(2))) : nil
  }

  /// Where in the patch an offset is, or in the node that a preset is.
  func cursor(at offset: Int) -> Cursor? {
    guard var cursor = Cursor.at(offset, in: source) else { return nil }
    if isPreset { cursor.container = Self.presetPath + cursor.container }
    return cursor
  }

  /// The path of a file; `nil` for what is no file.
  static func path(of uri: String) -> String? {
    let scheme = "file://"
    guard uri.lowercased().hasPrefix(scheme) else { return nil }
    let rest = Array(uri.utf8.dropFirst(scheme.utf8.count).drop { $0 != UInt8(ascii: "/") })
    var path: [UInt8] = []
    var index = 0
    while index < rest.count {
      if rest[index] == UInt8(ascii: "%"), index + 2 < rest.count,
        let byte = UInt8(
          String(decoding: rest[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
      {
        path.append(byte)
        index += 3
      } else {
        path.append(rest[index])
        index += 1
      }
    }
    return path.isEmpty ? nil : String(decoding: path, as: UTF8.self)
  }

  /// What paths in a patch are relative to; empty for the current folder.
  static func directory(of uri: String) -> String {
    guard let path = path(of: uri), let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

/// The members of an object but for its comment; none of what is no object, and of nothing.
func members(_ value: JSONValue?) -> [(key: JSONValue, value: JSONValue)] {
  value.map { $0.members.filter { $0.key.string != "comment" } } ?? []
}
