/// Knobs, and presets of users.
extension PatchGrammar {
  package static let knob = ObjectGrammar<PatchDocument.Knob>(
    "a knob", "What it turns, and a narrower range.",
    [
      .member(
        "turns", required: true, "What it turns, by its place in this patch.",
        .definition("knobPlace")
      ) {
        $2.turns = $0.pointers($1, "'turns'", "a JSON Pointer or an array of at least one")
      },
      .member(
        "min", "The least that it goes to; left out, as what it turns.", .definition("knobEnd")
      ) { $2.min = $0.bound($1, "'min'") },
      .member(
        "max", "The most that it goes to; left out, as what it turns.", .definition("knobEnd")
      ) { $2.max = $0.bound($1, "'max'") },
    ])

  /// A preset of a user. The schema of patches has its parts.
  package static let preset = ObjectGrammar<PatchReader.Preset>(
    "a preset",
    [
      .text("name", "What the preset is called.") { $0.name = $1 },
      .member("component", required: true, .definition("component")) {
        $2.node.component = $0.component($1)
      },
      .settings("properties", "") { $0.node.properties = $1 },
      .settings("parameters", "") { $0.node.parameters = $1 },
      .member("bands", .schema(["type": "array"])) { $2.node.bands = $0.bands($1) },
      .member("inputs", .schema(["type": "object"])) {
        $2.node.inputs = $0.elements($1, "'inputs'", as: presetBus)
      },
      .member("outputs", .schema(["type": "object"])) {
        $2.node.outputs = $0.elements($1, "'outputs'", as: presetBus)
      },
      .schemaPlace,
    ])

  /// A bus of a preset. It has no format: the patch sets that.
  package static let presetBus = ObjectGrammar<PatchDocument.Element>(
    "a bus of a preset",
    [
      .settings("properties", "") { $0.properties = $1 },
      .settings("parameters", "") { $0.parameters = $1 },
    ])
}
