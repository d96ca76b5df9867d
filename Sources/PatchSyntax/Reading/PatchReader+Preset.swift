public import Diagnostics

extension PatchReader {
  /// A preset of a user: what a unit is set to, in a file of its own.
  public struct Preset: Sendable {
    /// What it is called; `nil` for nothing.
    public var name: Located<String>?
    /// Whose it is, its properties and parameters, its bands and buses.
    public var node: PatchDocument.Node
  }

  /// The keys of a preset.
  public static let presetKeys = [
    "$schema", "name", "component", "properties", "parameters", "bands", "inputs", "outputs",
  ]

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
    readObject(json, "a preset", keys: Self.presetKeys, required: ["component"]) {
      reader, key, value in
      switch key {
      case "$schema": _ = reader.string(value, "'$schema'")
      case "name": preset.name = reader.string(value, "'name'")
      case "component": preset.node.component = reader.component(value)
      case "properties": preset.node.properties = reader.settings(value, "'properties'")
      case "parameters": preset.node.parameters = reader.settings(value, "'parameters'")
      case "bands": preset.node.bands = reader.bands(value)
      case "inputs": preset.node.inputs = reader.presetElements(value, "'inputs'")
      default: preset.node.outputs = reader.presetElements(value, "'outputs'")
      }
    }
    return preset
  }

  /// Buses as a preset has them: their formats are the patch's affair.
  private mutating func presetElements(
    _ json: JSONValue, _ name: String
  ) -> [PatchDocument.Element] {
    guard check(json, name, .object) else { return [] }
    var elements: [PatchDocument.Element] = []
    eachMember(of: json) { reader, key, name, value in
      guard let bus = Self.busNumber(name) else {
        reader.diagnostics.append(.busNumber(key, name, in: json))
        return
      }
      guard reader.check(value, "a bus of a preset", .object) else { return }
      var element = PatchDocument.Element(json: value, bus: Located(bus, at: key))
      reader.readObject(value, "a bus of a preset", keys: ["properties", "parameters"]) {
        reader, key, value in
        if key == "properties" {
          element.properties = reader.settings(value, "'properties'")
        } else {
          element.parameters = reader.settings(value, "'parameters'")
        }
      }
      elements.append(element)
    }
    return elements
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
