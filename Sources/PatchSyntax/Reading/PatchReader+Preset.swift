public import Diagnostics

extension PatchReader {
  /// A preset of a user: what a unit is set to, in a file of its own.
  public struct Preset: Sendable {
    /// What it is called; `nil` for nothing.
    public var name: Located<String>?
    /// Whose it is, its properties and parameters, its bands and buses.
    public var node: PatchDocument.Node
  }

  /// Reads the text of a preset, which stands behind others.
  ///
  /// - Parameter base: Where the text begins in the one that all ranges point into.
  /// - Returns: The preset; `nil` where there is no object to read from. Its text as it was read.
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
  /// A patch of nothing but what a preset says, which has no name.
  ///
  /// - Parameter node: As `PatchReader.readPreset` gives it.
  public init(onlyNode node: Node) {
    self.init(root: node.json)
    nodes = [Member(Located("", at: node.json), node)]
  }
}
