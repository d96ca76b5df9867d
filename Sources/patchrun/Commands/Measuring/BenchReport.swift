import AudioTypes
import Diagnostics
import GraphDrawings
import PatchSyntax

/// What `bench --json` has printed, read for the colours of a drawing.
struct BenchReport {
  /// A box of a drawing.
  private struct Box: Hashable {
    var kind: GraphDrawing.Node.Kind
    var name: String
  }

  private struct Part {
    var box: Box
    /// The component of a unit, or the kind of a callback or tap; empty for a part that an update
    /// of the timeline has added.
    var type: String
    var share: Double
  }

  private let path: String
  /// The file of the patch that was measured, as it was named then.
  private let patch: String?
  private var parts: [Part] = []
  /// The names of the taps that were not measured.
  private let leftOut: Set<String>

  /// Reads a file, or standard input for `-`.
  init(readFrom path: String) throws(CommandFailure) {
    self.path = path
    let file = try PatchFile(path)
    let reading = JSONReader.read(file.source, dialect: .json)
    let failure = CommandFailure(
      ExitStatus.wrongUsage, "\(quoted(path)) is not what 'patchrun bench --json' prints",
      help: ["print it: patchrun bench FILE --json > cost.json"])
    guard !reading.hasErrors, let root = reading.tree?.root, let parts = root["parts"],
      parts.kind == .array
    else { throw failure }
    patch = root["patch"]?.string
    leftOut = Set(root["leftOut"]?.elements.compactMap(\.string) ?? [])
    for part in parts.elements {
      let kind: GraphDrawing.Node.Kind
      switch part["kind"]?.string.flatMap(BenchSheet.Part.Kind.init) {
      case .unit: kind = .unit
      case .callback: kind = .callback
      case .tap: kind = .tap
      case .conversion, .output, nil: continue
      }
      guard let name = part["name"]?.string, let share = part["share"] else { throw failure }
      guard let number = share.number, 0...1 ~= number else {
        let place = "\(file.source.name):\(file.source.position(of: share.range.lowerBound))"
        throw CommandFailure(
          ExitStatus.wrongUsage,
          "\(place): the share of \(quoted(name)) is no number from 0 to 1",
          help: ["print the report again: patchrun bench FILE --json"])
      }
      self.parts.append(
        Part(
          box: Box(kind: kind, name: name), type: part["type"]?.string ?? "", share: number))
    }
  }

  /// The shares of the boxes of a drawing. The report may be of another patch, or of an older state
  /// of it: that some boxes differ is reported.
  ///
  /// - Parameters:
  ///   - document: The patch that is drawn.
  ///   - file: Its name on the command line.
  func heat(
    of drawing: GraphDrawing, _ document: PatchDocument, from file: String,
    _ appearance: some Appearance
  ) throws(CommandFailure) -> GraphDrawing.Heat {
    let types = Self.types(of: drawing, document)
    let known = parts.filter { part in
      guard let names = types[part.box] else { return false }
      return part.type.isEmpty || names.contains(part.type)
    }
    let own = file == "-" ? "the patch" : quoted(file)
    let other = patch.map { " of \(quoted($0))" } ?? ""
    let help = ["measure it: patchrun bench \(file == "-" ? "FILE" : file) --json > cost.json"]
    guard !known.isEmpty else {
      throw CommandFailure(
        ExitStatus.wrongUsage,
        "\(quoted(path)) is the report\(other), and has no share of any box of \(own)", help: help)
    }
    let boxes = Set(known.map(\.box))
    let strange = parts.filter { !boxes.contains($0.box) && !$0.type.isEmpty }.map(\.box.name)
    if !strange.isEmpty {
      appearance.report(
        "warning",
        "\(quoted(path)) is the report\(other), and has shares of parts that \(own) does not have: "
          + Self.firstOf(strange), help: help)
    }
    let missing = drawing.nodes.filter { node in
      !boxes.contains(Box(kind: node.kind, name: node.name))
        && node.component?.type != .outputType
        && !(node.kind == .tap && leftOut.contains(node.name))
    }
    if !missing.isEmpty {
      appearance.report(
        "note", "\(quoted(path)) has no share of \(Self.firstOf(missing.map(\.name)))")
    }
    var heat = GraphDrawing.Heat()
    for part in known {
      switch part.box.kind {
      case .unit: heat.units[part.box.name] = part.share
      case .callback: heat.callbacks[part.box.name] = part.share
      case .tap: heat.taps[part.box.name] = part.share
      }
    }
    return heat
  }

  /// What a report may say that each box is: of a unit, its component as the patch or the catalog
  /// writes it. A component that is written as codes has no name in a report.
  private static func types(
    of drawing: GraphDrawing, _ document: PatchDocument
  ) -> [Box: [String]] {
    var types: [Box: [String]] = [:]
    for node in drawing.nodes { types[Box(kind: node.kind, name: node.name)] = [node.type] }
    for node in document.nodes {
      guard case .name(let component)? = node.value.component?.value else { continue }
      types[Box(kind: .unit, name: node.name)]?.append(component)
    }
    return types
  }

  /// The first names, and how many there are beside them.
  private static func firstOf(_ names: [String]) -> String {
    let most = 5
    let shown = names.prefix(most).map { quoted($0) }
    guard names.count > most else { return listed(shown) }
    return listed(shown + ["\(names.count - most) more"])
  }
}
