import AudioTypes
import Diagnostics

/// The grammar of patches: one table for each object that has keys of its own.
///
/// Keys that depend on a unit, a callback or a tap are in the description of that unit, callback or
/// tap.
package enum PatchGrammar {
  /// The patch itself.
  package static let patch = ObjectGrammar<PatchDocument>(
    "a patch",
    """
    An audio graph that is written down: units, the connections between them, their stream \
    formats, properties and parameters, and the callbacks that feed them.
    """,
    [
      .member(
        "schemaVersion", "The version of the patch format: 1.",
        .schema(["const": 1, "default": 1])
      ) { $2.schemaVersion = $0.schemaVersion($1) },
      .text("title", "What the patch is, for its reader.") { $0.title = $1 },
      .member(
        "constants",
        """
        Values by name: "level" is meant by "$level", wherever a number, a text, true or false may stand.
        """,
        .schema([
          "type": "object",
          "propertyNames": ["pattern": "^[A-Za-z_][A-Za-z0-9_-]*$"],
          "properties": ["comment": ["$ref": "#/definitions/comment"]],
          "additionalProperties": ["type": ["number", "string", "boolean"]],
        ])
      ) { $2.constants = $0.constants($1) },
      .member("session", .definition("session")) { $2.session = $0.session($1) },
      .member("limits", .definition("limits")) { $2.limits = $0.outputLimits($1) },
      .member(
        "streamFormats", "Stream formats by name, for buses to name.",
        .map(of: "formatObject", names: ["minLength": 1])
      ) { reader, json, patch in
        patch.streamFormats = reader.map(json, "'streamFormats'", .format) {
          $0.streamFormat($1, mayBeName: false)
        }
      },
      .member(
        "streamFormat",
        """
        The stream format of every bus that must be given one and is given none: most patches use \
        a single format throughout.
        """, .definition("streamFormat")
      ) { $2.streamFormat = $0.streamFormat($1) },
      .setting(
        .init(
          "maximumFramesPerSlice", .integer(1...1_048_576),
          summary: """
            The most frames of a slice, for every unit that does not set it. 4096 is what a device \
            without input may ask for.
            """)
      ) { $0.maximumFramesPerSlice = $1 },
      .member(
        "callbacks",
        "Sources of samples, and what processes them, by name. A connection takes them to a bus.",
        .map(of: "callback", names: sourceName)
      ) { reader, json, patch in
        guard reader.countsItems(of: json) else { return }
        patch.callbacks = reader.map(json, "'callbacks'", .source) { $0.callback($1) }
      },
      .member(
        "nodes", required: true,
        "The audio units, and sub-graphs, by name. Exactly one is an I/O unit or a GenericOutput.",
        .map(
          of: "node", names: sourceName,
          besides: ["minProperties": 1, "not": ["required": ["comment"], "maxProperties": 1]])
      ) { reader, json, patch in
        guard reader.countsItems(of: json) else { return }
        patch.nodes = reader.nodes(json)
        if json.kind == .object, !json.members.contains(where: { $0.key.string != "comment" }) {
          reader.diagnostics.append(.emptyNodes(json))
        }
      },
      .member(
        "connections", "What feeds what: one output feeds one input.", .list(of: "connection")
      ) { $2.connections = $0.connections($1) },
      .setting(
        .init(
          "compensateLatency", .boolean, defaultValue: .boolean(false),
          summary: """
            Whether paths that meet in one unit are made equally late: inputs that are earlier are \
            delayed by whole frames. Of a sub-graph, the patch around it decides.
            """)
      ) { $0.compensateLatency = $1 },
      .member("taps", "What watches buses, by name.", .map(of: "tap", names: ["minLength": 1])) {
        reader, json, patch in
        guard reader.countsItems(of: json) else { return }
        patch.taps = reader.map(json, "'taps'", .tap) { $0.tap($1) }
      },
      .setting(
        .init(
          "tempo", .number(0 ... .infinity, excludesLowerBound: true), unit: .beatsPerMinute,
          summary: "Beats per minute, for the times of the timeline that are in beats.")
      ) { $0.tempo = $1 },
      .member("timeline", "What happens at which time, in any order.", .list(of: "step")) {
        $2.timeline = $0.timeline($1)
      },
      .member(
        "knobs",
        """
        What a patch that has this one as a sub-graph may turn, by names of their own: it sets and ramps \
        them as parameters of the sub-graph.
        """, .map(of: "knob", names: ["minLength": 1])
      ) { reader, json, patch in
        patch.knobs = reader.map(json, "'knobs'", .knob) { $0.knob($1) }
      },
      .schemaPlace,
    ])

  /// A connection of an output, or a callback, to an input.
  package static let connection = ObjectGrammar<PatchDocument.Connection>(
    "a connection", "One output bus, or a callback, joined to one input bus.", isRepeatable: true,
    [
      .address(
        "from", required: true,
        "The output bus of a node, or a callback. \"io:1\" is what the microphone hears."
      ) { $0.from = $1 },
      .address(
        "to", required: true,
        "The input bus of a node. \"io:0\" is what the loudspeaker plays."
      ) { $0.to = $1 },
    ])

  /// Names that an address can have in front of its colon.
  private static let sourceName: JSONText = ["pattern": "^[^:]+$"]
}
