import AudioGraphs
import AudioTypes
import AudioUnits
public import Diagnostics
import PatchSyntax

/// A preset as a file of its own, without a patch.
public struct SavedPreset: Sendable {
  /// Its name; `nil` for none.
  public let name: String?
  /// The name of its unit; `nil` where there is no such unit.
  public let unit: String?
  /// The findings about its text, its component and its settings, except those that depend on the
  /// stream formats of a patch.
  public let diagnostics: [Diagnostic]
  /// The text that their ranges refer to.
  public let source: SourceText

  /// `nil` for a text that is not a preset.
  public init?(_ text: SourceText) {
    guard Self.isPreset(text) else { return nil }
    let reading = PatchReader.readPreset(text)
    source = reading.source
    name = reading.preset?.name?.value
    var unit: String?
    var diagnostics = reading.diagnostics
    if let preset = reading.preset, let component = preset.node.component {
      switch ComponentResolver.resolve(component, node: "") {
      case .success(let found):
        unit = found.description.name
        let settings = Self.findings(in: preset.node, of: found, besides: diagnostics)
        diagnostics += settings.filter { !diagnostics.contains($0) }
      case .failure(let failure): diagnostics += [failure.diagnostic].compactMap(\.self)
      }
    }
    self.unit = unit
    self.diagnostics = diagnostics.inDocumentOrder()
  }

  /// Whether a text is an object that names a component, and has more keys of a preset than others,
  /// with or without mistakes.
  public static func isPreset(_ text: SourceText) -> Bool { PresetRecognition.isPreset(text) }

  /// The findings about the settings, as in a patch with this one node.
  private static func findings(
    in preset: PatchDocument.Node, of unit: any AudioUnit.Type, besides found: [Diagnostic]
  ) -> [Diagnostic] {
    var node = preset
    // A patch may give the unit as many buses as the preset sets.
    node.inputCount = count(node.inputs, unit.description.inputs, preset.json)
    node.outputCount = count(node.outputs, unit.description.outputs, preset.json)
    let document = PatchDocument(onlyNode: node)
    let graph = AudioGraph(
      assuming: PatchBuilder.assumedGrant(
        for: PatchBuilder.request(of: document), HardwareAssumption()))
    var builder = GraphBuilder(
      document: document, graph: graph, surroundings: PatchSurroundings(directory: ""),
      unread: UnreadParts(document, found), reportsNotes: false, epoch: nil, limits: .standard)
    try? graph.open()
    if let (id, made) = builder.addNode(0) { builder.configure(0, id, made) }
    return builder.diagnostics
  }

  /// How many buses the preset needs; `nil` where a new unit has enough, and where the unit cannot
  /// have that many.
  private static func count(
    _ elements: [PatchDocument.Element], _ buses: UnitDescription.Buses, _ json: JSONValue
  ) -> Located<Int>? {
    let needed = (elements.map(\.bus.value).max() ?? -1) + 1
    guard needed > buses.count, buses.settable?.contains(needed) == true else { return nil }
    return Located(needed, at: json)
  }
}
