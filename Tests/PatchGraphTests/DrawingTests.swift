import AudioGraphs
import AudioTypes
import Diagnostics
import Foundation
import PatchSyntax
import TestSupport
import Testing

@testable import GraphDrawings
@testable import PatchGraph

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The drawings of `patchrun show` in each form.
///
/// `PATCHRUN_REPRINT=1 swift test --filter DrawingTests` rewrites the expected drawings. Look at
/// the differences before you commit them.
@Suite struct DrawingTests {
  private static let folder = FixtureTests.folder.appending(path: "Drawings")

  static func drawing(of file: URL) throws -> GraphDrawing {
    let reading = PatchReader.read(
      bytes: try [UInt8](Data(contentsOf: file)), name: file.lastPathComponent)
    let directory = file.deletingLastPathComponent().path
    let patch = PatchBuilder.build(reading, directory: directory)
    let words = TextRenderer(source: patch.source).render(patch.diagnostics)
    #expect(!patch.diagnostics.hasErrors, "\(words)")
    return GraphDrawing(
      graph: try #require(patch.graph), document: try #require(patch.document),
      in: PatchSurroundings(directory: directory))
  }

  private static func drawing(_ name: String) throws -> GraphDrawing {
    try drawing(of: folder.appending(path: name + ".json"))
  }

  private static let forms: [(name: String, write: @Sendable (GraphDrawing) -> String)] = [
    ("drawing.json", { $0.json() }), ("dot", { $0.dot() }), ("mmd", { $0.mermaid() }),
    ("svg", { $0.svg() }),
  ]

  // MARK: Forms

  @Test(arguments: ["mixed", "names"], forms.indices)
  func `a patch is drawn as expected`(name: String, form: Int) throws {
    let form = Self.forms[form]
    let found = form.write(try Self.drawing(name))
    let expectation = Self.folder.appending(path: "\(name).\(form.name)")
    if ProcessInfo.processInfo.environment["PATCHRUN_REPRINT"] != nil {
      try found.write(to: expectation, atomically: true, encoding: .utf8)
    }
    #expect(found == (try String(contentsOf: expectation, encoding: .utf8)))
  }

  private static let patches =
    (try? FileManager.default.contentsOfDirectory(
      atPath: PrintedFiles.package.appending(path: "patches").path
    )
    .filter { $0.hasSuffix(".json") && !$0.hasSuffix(".test.json") }.sorted()) ?? []

  @Test(arguments: patches)
  func `each form of each patch is what its readers take`(name: String) throws {
    let file = PrintedFiles.package.appending(path: "patches/\(name)")
    try Self.check(try Self.drawing(of: file))
  }

  @Test
  func `a name that means something to a reader is text to it`() throws {
    let drawing = try Self.drawing("names")
    try Self.check(drawing)
    // XML preserves the texts, except for characters that it cannot contain.
    let texts = try SVGTexts.of(drawing.svg())
    #expect(texts.contains("tone \"<&>\" 🎸 #2; \\"))
    #expect(texts.contains("](evil) | {x} %% "))
    #expect(texts.contains("input 0 “<b>Drums</b>”"))
    // In Mermaid, special characters are escaped.
    let labels = drawing.mermaid().split(separator: "\n").drop { $0 != "flowchart LR" }
    for label in labels {
      #expect(label.count { $0 == "\"" } <= 2)
      #expect(!label.contains("`") && !label.contains("</text") && !label.contains("(evil)"))
    }
  }

  private static func check(_ drawing: GraphDrawing) throws {
    _ = try SVGTexts.of(drawing.svg())
    let json = try JSONSerialization.jsonObject(with: Data(drawing.json().utf8))
    let connections = (json as? [String: Any])?["connections"] as? [Any]
    #expect(connections?.count == drawing.edges.count { !$0.isTap })
    let dot = "/usr/bin/dot"
    guard FileManager.default.isExecutableFile(atPath: dot) else { return }
    let name = "/tmp/patchrun-drawing-\(UUID().uuidString)"
    defer {
      for end in ["", ".out", ".err"] { try? FileManager.default.removeItem(atPath: name + end) }
    }
    try drawing.dot().write(toFile: name, atomically: true, encoding: .utf8)
    let process = try ChildProcess(
      dot, ["-Tplain", name], environment: ["PATH": "/usr/bin"], output: name + ".out",
      errors: name + ".err")
    #expect(process.wait() == 0)
    #expect(try String(contentsOfFile: name + ".err", encoding: .utf8) == "")
    let plain = try String(contentsOfFile: name + ".out", encoding: .utf8)
    #expect(plain.split(separator: "\n").count { $0.hasPrefix("edge ") } == drawing.edges.count)
  }

  @Test(arguments: ["mixed", "names"])
  func `in a page a drawing has marks, and no style that the page would refuse`(
    name: String
  ) throws {
    let drawing = try Self.drawing(name)
    let picture = drawing.svg()
    let page = drawing.svgForPage()
    #expect(!page.contains("<style") && !page.contains(" style="))
    #expect(picture.contains("<style") && !picture.contains(" data-"))
    #expect(try SVGTexts.of(page) == SVGTexts.of(picture))
    let lines = page.split(separator: "\n")
    // The geometry is the same.
    let geometry = picture.split(separator: "\n").filter { $0.hasPrefix("<path") }
    #expect(lines.filter { $0.hasPrefix("<path") } == geometry)
    for node in drawing.nodes {
      let mark =
        node.kind == .unit ? "data-node" : node.kind == .callback ? "data-callback" : "data-tap"
      #expect(page.contains(" \(mark)=\"\(DrawingText.markup(node.name))\""), "\(node.name)")
      for input in node.inputs where node.kind == .unit && input.isUsed {
        #expect(
          page.contains(
            "<circle class=\"bus\" data-node=\"\(DrawingText.markup(node.name))\" "
              + "data-scope=\"input\" data-element=\"\(input.number)\""))
      }
    }
    #expect(
      lines.count { $0.hasPrefix("<g class=\"edge") && $0.contains(" data-from=") }
        == drawing.edges.count)
    for edge in drawing.edges {
      let from = DrawingText.markup(drawing.nodes[edge.source].name)
      let to = DrawingText.markup(drawing.nodes[edge.destination].name)
      #expect(
        page.contains(
          " data-from=\"\(from)/output/\(edge.output)\" data-to=\"\(to)/input/\(edge.input)\""))
    }
  }

  // MARK: Contents

  @Test
  func `each format says where it came from`() throws {
    let drawing = try Self.drawing("mixed")
    func origin(_ from: String, _ to: String) -> String? {
      drawing.edges.first {
        drawing.nodes[$0.source].name == from && drawing.nodes[$0.destination].name == to
      }?.origin?.text
    }
    #expect(origin("beats", "eq") == "the patch's streamFormat")
    #expect(origin("hall", "mixer") == "set on mixer input 1")
    #expect(origin("quieter", "hall") == "floats, as the bus it feeds")
    #expect(origin("mixer", "io") == "rate set on mixer output 0")
    let io = try #require(drawing.nodes.first { $0.name == "io" })
    #expect(io.input(0)?.origin?.text == "from mixer output 0")
    #expect(io.output(0)?.origin?.text == "the device's")
  }

  @Test
  func `each conversion is marked where it happens`() throws {
    let drawing = try Self.drawing("mixed")
    func marks(_ name: String) -> [String] {
      drawing.nodes.filter { $0.name == name }.flatMap { $0.inputs + $0.outputs }
        .flatMap(\.conversions).map(\.text)
    }
    #expect(marks("beats") == ["1 → 2 ch"])
    #expect(marks("eq") == [])
    #expect(marks("hall") == ["float32 → fixed8.24"])
    #expect(marks("space") == ["22050 → 44100 Hz", "int16 → float32"])
    #expect(marks("converter") == ["22050 → 44100 Hz", "int16 → float32", "1 → 2 ch"])
    #expect(marks("mixer") == ["fixed8.24 → float32"])
    #expect(marks("io") == ["1 → 2 ch"])
  }

  @Test
  func `an I/O unit is drawn in halves, each only where something is joined to it`() throws {
    let halves = try Self.drawing("mixed").splittingIOUnits()
    #expect(halves.nodes.filter { $0.name == "io" }.map(\.side) == [.loudspeaker, .microphone])
    let microphone = try #require(halves.nodes.firstIndex { $0.side == .microphone })
    #expect(halves.edges.count { $0.source == microphone } == 2)
    #expect(!halves.edges.contains { $0.destination == microphone })
    let recording = try Self.drawing(
      of: PrintedFiles.package.appending(path: "patches/record-input.json"))
    #expect(recording.nodes.count { $0.kind == .unit } == 1)
    #expect(recording.splittingIOUnits().nodes.compactMap(\.side) == [.microphone])
  }
}

/// Reads the texts of an SVG document, which must be well-formed.
private final class SVGTexts: NSObject, XMLParserDelegate {
  private var texts: [String] = []
  private var current: String?

  static func of(_ svg: String) throws -> [String] {
    let parser = XMLParser(data: Data(svg.utf8))
    let reader = SVGTexts()
    parser.delegate = reader
    #expect(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "")")
    return reader.texts
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String] = [:]
  ) {
    if name == "text" { current = "" }
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) { current? += text }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    if let current, name == "text" { texts.append(current) }
    if name == "text" { current = nil }
  }
}
