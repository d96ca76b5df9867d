/// Nodes and their buses.
extension PatchGrammar {
  /// A node as it is being read.
  package struct WrittenNode {
    var node: PatchDocument.Node
    var component: JSONValue?
    var settings: JSONValue?
  }

  package static let node = ObjectGrammar<WrittenNode>(
    "a node",
    "An audio unit: its component, its global scope (properties, parameters), and its buses.",
    isRepeatable: true,
    [
      .member("component", .definition("component")) { reader, json, written in
        written.component = json
        written.node.component = reader.component(json)
      },
      .member(
        "subgraph",
        """
        Another patch in the place of a component: its file, relative to this patch. Its output \
        unit is a GenericOutput, and its callbacks of the kind input are what is connected here.
        """, path
      ) { reader, json, written in
        written.node.subgraph = json
        _ = reader.string(json, "'subgraph'")
      },
      .member(
        "settings",
        """
        What a sub-graph changes in its patch: values by their JSON Pointers, such as \
        "/nodes/eq/properties/presentPreset".
        """,
        .schema([
          "type": "object",
          "properties": ["comment": ["$ref": "#/definitions/comment"]],
          "propertyNames": [
            "anyOf": [["const": "comment"], ["pattern": "^(/([^~/]|~[01])*)+$"]]
          ],
        ])
      ) { reader, json, written in
        written.settings = json
        written.node.settings = reader.settings(json, "'settings'")
      },
      .member(
        "preset",
        """
        A preset of the unit: its file, relative to this patch, as 'patchrun preset save' writes it. \
        What is written here holds.
        """, path
      ) { reader, json, written in
        written.node.preset = json
        _ = reader.string(json, "'preset'")
      },
      .member(
        "device",
        """
        Of an I/O unit: `sink` and `source`, the devices that it plays on and hears from. Each is a name, a \
        pattern of it with `*` and `?`, or an object with patterns of the `name`, `description`, `driver`, \
        `bus`, or of what the server tells besides.
        """, .schema(["type": "object"])
      ) { $2.node.device = $0.device($1) },
      .settings("properties", "The properties of the global scope.") { $0.node.properties = $1 },
      .settings("parameters", "The parameters of the global scope; of a sub-graph its knobs.") {
        $0.node.parameters = $1
      },
      .member(
        "bands", "The parts of the unit that are alike, in order: an equalizer's filters.",
        .schema(["type": "array", "items": ["type": "object"]])
      ) { $2.node.bands = $0.bands($1) },
      busCount(
        "inputCount", "How many input buses the unit has (ElementCount of the input scope)."
      ) { $0.inputCount = $1 },
      busCount(
        "outputCount", "How many output buses the unit has (ElementCount of the output scope)."
      ) { $0.outputCount = $1 },
      .member("inputs", "The input buses by number.", .schema(["type": "object"])) {
        reader, json, written in
        written.node.inputs = reader.elements(json, "'inputs'", as: bus)
      },
      .member("outputs", "The output buses by number.", .schema(["type": "object"])) {
        reader, json, written in
        written.node.outputs = reader.elements(json, "'outputs'", as: bus)
      },
    ])

  /// A number of buses. The unit checks whether it can have as many.
  private static func busCount(
    _ key: String, _ summary: String,
    _ set: @escaping @Sendable (inout PatchDocument.Node, Located<Int>?) -> Void
  ) -> MemberGrammar<WrittenNode> {
    let name = "'\(key)'"
    return .member(key, summary, .schema(ValuePatterns.uint32)) { reader, json, written in
      set(
        &written.node,
        reader.count(json, name, expecting: "a whole number from 1 to 1024"))
    }
  }

  private static let path = ValueForm.schema(["type": "string", "minLength": 1])

  /// A bus of a node, under its number.
  package static let bus = ObjectGrammar<PatchDocument.Element>(
    "a bus", isRepeatable: true,
    [
      .member("streamFormat", .definition("streamFormat")) {
        $2.streamFormat = $0.streamFormat($1)
      },
      .member("sampleRate", .definition("busRate")) {
        $2.sampleRate = $0.sampleRate($1, "'sampleRate'")
      },
      .settings("properties", "") { $0.properties = $1 },
      .settings("parameters", "") { $0.parameters = $1 },
    ])

  /// A component by its codes.
  package static let component = ObjectGrammar<PatchDocument.ComponentDescription>(
    "a component description",
    """
    An AudioComponentDescription. A field that is missing or 0 matches any component; exactly \
    one must be left.
    """,
    [
      code("type") { $0.type = $1 },
      code("subtype") { $0.subtype = $1 },
      code("manufacturer") { $0.manufacturer = $1 },
      flags("flags") { $0.flags = $1 },
      flags("flagsMask") { $0.flagsMask = $1 },
    ])

  /// A four-character code. The catalog of units checks whether it exists.
  private static func code(
    _ key: String,
    _ set: @escaping @Sendable (inout PatchDocument.ComponentDescription, JSONValue?) -> Void
  ) -> MemberGrammar<PatchDocument.ComponentDescription> {
    let name = "'\(key)'"
    return .member(key, .schema([:])) { reader, json, description in
      set(&description, reader.code(json, name))
    }
  }

  private static func flags(
    _ key: String,
    _ set: @escaping @Sendable (inout PatchDocument.ComponentDescription, JSONValue?) -> Void
  ) -> MemberGrammar<PatchDocument.ComponentDescription> {
    let name = "'\(key)'"
    return .member(key, "0 in every search.", .schema(["const": 0, "default": 0])) {
      reader, json, description in
      if reader.check(json, name, .number) { set(&description, json) }
    }
  }
}
