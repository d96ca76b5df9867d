public import Diagnostics

extension PatchReader {
  /// A preset of a user: the settings of a unit, in a file of its own.
  public struct Preset: Sendable {
    /// Its name; `nil` for none.
    public var name: Located<String>?
    /// Its component, properties, parameters, bands and buses.
    public var node: PatchDocument.Node
  }

  /// Reads the text of a preset, which may follow other texts.
  ///
  /// - Parameter base: The offset of the text in the one that all ranges refer to.
  /// - Returns: The preset, `nil` where there is no object to read from; its text as it was read;
  ///   the findings.
  public static func readPreset(
    _ source: SourceText, at base: Int = 0, limits: PatchLimits = .standard
  ) -> (preset: Preset?, source: SourceText, diagnostics: [Diagnostic]) {
    let json = JSONReader.read(source, dialect: JSONReader.Dialect(fileName: source.name))
    var reader = PatchReader(limits)
    reader.diagnostics += json.diagnostics.map { $0.moved(by: base) }
    guard let tree = json.tree?.based(at: base) else {
      return (nil, source, reader.diagnostics.all)
    }
    guard json.isStructureIntact else { return (nil, tree.source, reader.diagnostics.all) }
    reader.repeatedKeys = tree.reportDuplicateKeys(to: &reader.diagnostics)
    let preset = reader.preset(tree.root)
    return (preset, tree.source, reader.diagnostics.all)
  }

  private mutating func preset(_ json: JSONValue) -> Preset? {
    guard check(json, "a preset", .object) else { return nil }
    var preset = Preset(node: PatchDocument.Node(json: json))
    read(json, as: PatchGrammar.preset, into: &preset)
    return preset
  }
}

extension PatchDocument {
  /// A patch with one node, which has no name.
  ///
  /// - Parameter node: The node of a preset that `PatchReader.readPreset` has read.
  public init(onlyNode node: Node) {
    self.init(root: node.json)
    nodes = [Member(Located("", at: node.json), node)]
  }
}
