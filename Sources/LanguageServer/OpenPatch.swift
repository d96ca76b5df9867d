import AudioGraphs
import Diagnostics
import GraphDrawings
import PatchGraph
import PatchSyntax
import SoundChecks

/// A patch, a preset or a test file that is open in an editor: its text, and the results of reading
/// and checking it.
struct OpenPatch {
  let uri: String
  /// The editor's version number of the text.
  var version: Int?
  var places: TextPlaces
  /// The present text, read as far as possible; `nil` where nothing can be read.
  private(set) var root: JSONValue?
  /// The last text whose brackets and values were complete: while somebody types, the present text
  /// is often broken.
  private(set) var intactRoot: JSONValue?
  /// Whether the text is a preset, which has the members of a single node.
  private(set) var isPreset = false
  /// Whether the text is a test file.
  private(set) var isTests = false
  private(set) var diagnostics: [Diagnostic] = []
  /// The text that the ranges of the diagnostics refer to: that of the file, followed by those of
  /// its sub-graphs.
  private(set) var wholeSource: SourceText
  /// The graph after initialization, from the last check that was drawn; `nil` while the patch has
  /// errors.
  private(set) var drawing: GraphDrawing?
  /// The sub-graphs of the last check, with their knobs.
  private(set) var subgraphs: [PatchDocument.Subgraph] = []
  /// The result of a check that has not been drawn yet.
  private var undrawn: (graph: AudioGraph, document: PatchDocument)?
  /// Whether no check has been made yet.
  private var isUnchecked = true
  /// Whether the text has changed since it was checked.
  private(set) var isStale = true
  /// Whether the diagnostics have still to be sent.
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

  /// Replaces a range of the text, or all of it for `nil`.
  mutating func replace(_ range: SourceRange?, with text: String) {
    var bytes = source.bytes
    bytes.replaceSubrange(range ?? 0..<bytes.count, with: Array(text.utf8))
    places.source = SourceText(name: source.name, bytes: bytes)
    markStale()
  }

  /// Reads the text again.
  mutating func read() {
    let json = JSONReader.read(source, dialect: JSONReader.Dialect(fileName: source.name))
    root = json.tree?.root
    // A text that cannot be read at all counts as the same kind of file as before.
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

  /// The folder that paths are relative to, and the limits.
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

  /// Draws the graph of the last check. Checks first only if there has been no check: while
  /// somebody types, requests use the last drawing rather than wait for a new check.
  mutating func draw(_ hardware: HardwareAssumption) {
    if isUnchecked { check(hardware) }
    guard let (graph, document) = undrawn else { return }
    drawing = GraphDrawing(graph: graph, document: document, in: surroundings)
    undrawn = nil
  }

  /// The value at a path in the present text, otherwise in the last intact one. A preset has the
  /// path of a node with an empty name.
  func value(_ path: [String]) -> JSONValue? {
    guard let pointer = pointer(to: path) else { return nil }
    return root?[pointer] ?? intactRoot?[pointer]
  }

  /// The value at a path in the present text.
  func presentValue(_ path: [String]) -> JSONValue? {
    pointer(to: path).flatMap { root?[$0] }
  }

  private static let presetPath = ["nodes", ""]

  private func pointer(to path: [String]) -> JSONPointer? {
    guard isPreset else { return JSONPointer(path) }
    return path.starts(with: Self.presetPath) ? JSONPointer(Array(path.dropFirst(2))) : nil
  }

  /// The cursor at an offset. In a preset its path begins with that of the node with an empty name.
  func cursor(at offset: Int) -> Cursor? {
    guard var cursor = Cursor.at(offset, in: source) else { return nil }
    if isPreset { cursor.container = Self.presetPath + cursor.container }
    return cursor
  }

  /// The path of a file URI; `nil` for other URIs.
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

  /// The folder that paths in a patch are relative to; empty for the current folder.
  static func directory(of uri: String) -> String {
    guard let path = path(of: uri), let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

/// The members of an object without its comment; none for other values and for `nil`.
func members(_ value: JSONValue?) -> [(key: JSONValue, value: JSONValue)] {
  value.map { $0.members.filter { $0.key.string != "comment" } } ?? []
}
