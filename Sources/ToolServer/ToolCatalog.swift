/// The tools, in the order in which a patch is made.
public enum ToolCatalog {
  public static let tools: [Tool] = [
    begin, units, explain, schema, validate, show, render, measure, response, test, diff, format,
  ]

  private static let patch = Tool.Parameter(
    "patch", .path, isRequired: true,
    "The patch: a path below the folder of the server, as \"mix.json\".")
  private static let duration = Tool.Parameter(
    "duration", .number(0.001...3600),
    "The seconds to render. Required for a patch without an end.")
  private static let settings = Tool.Parameter(
    "set", .settings,
    "Values to be put into the patch before it is read, by JSON Pointer: {\"/nodes/eq/parameters/gain\": 3}."
  )

  /// Options that keep a command inside the folder, and print findings without colours.
  private static let confined = ["--confined", "--color", "never"]

  static let begin = Tool(
    name: "new", title: "A patch to begin with",
    summary:
      "Returns the text of a patch that runs, with comments, after a design pattern. Without a pattern: the list of patterns. Write it to a file of the folder, and change it.",
    parameters: [
      .init(
        "pattern", .text, "One of the list, as \"mixer-host\", \"eq\", \"spatial\" or \"offline\".")
    ], isReadOnly: true
  ) { arguments throws(ToolProblem) in
    ["new"] + [arguments.texts["pattern"]].compactMap(\.self) + ["--color", "never"]
  }

  static let units = Tool(
    name: "units", title: "Audio units, callbacks and taps",
    summary:
      "Without a name: a line for each audio unit, callback and tap that a patch can use. With the name of a unit: its buses, properties and parameters with their ranges, units and defaults. Look a unit up before it is written.",
    parameters: [.init("name", .text, "A unit, as \"NBandEQ\".")], isReadOnly: true
  ) { arguments throws(ToolProblem) in
    ["units"] + [arguments.texts["name"]].compactMap(\.self) + ["--color", "never"]
  }

  static let explain = Tool(
    name: "explain", title: "What a code of a finding means",
    summary:
      "Returns the page of a code (\"PR0405\"), of a rule's name or of a Core Audio status: the reason of the rule, a patch that breaks it, and the corrected patch.",
    parameters: [.init("topic", .text, isRequired: true, "\"PR0405\" or \"-10868\".")],
    isReadOnly: true
  ) { arguments throws(ToolProblem) in
    ["explain", "--color", "never", "--", arguments.texts["topic"] ?? ""]
  }

  static let schema = Tool(
    name: "schema", title: "The JSON Schema of patches or of test files",
    summary: "Returns the JSON Schema. It is long: 'units' and 'new' say more in fewer words.",
    parameters: [.init("of", .choice(["patch", "test"]), "Which; not given, patch.")],
    isReadOnly: true
  ) { arguments throws(ToolProblem) in
    ["schema"] + (arguments.texts["of"] == "test" ? ["--tests"] : [])
  }

  static let validate = Tool(
    name: "validate", title: "Check a patch",
    summary:
      "Checks a patch or a test file as AUGraphInitialize would, and returns every finding with its code, line, column and cure. Nothing is played. Call it after each change.",
    parameters: [patch, settings], isReadOnly: true
  ) { arguments throws(ToolProblem) in
    ["validate", arguments.texts["patch"] ?? ""] + arguments.setOptions + confined
  }

  static let show = Tool(
    name: "show", title: "Show the graph of a patch",
    summary:
      "Returns the graph with its computed stream formats, latencies and maximum slices: as text, as JSON, or expanded to the plain patch without constants and repetition.",
    parameters: [
      patch, settings,
      .init("format", .choice(["text", "json", "patch", "mermaid", "dot"]), "Not given, text."),
    ], isReadOnly: true
  ) { arguments throws(ToolProblem) in
    ["show", arguments.texts["patch"] ?? ""] + arguments.option("format", "format")
      + arguments.setOptions + confined
  }

  static let render = Tool(
    name: "render", title: "Render a patch to a sound file",
    summary:
      "Renders a patch offline to a WAV, FLAC, Ogg or other sound file of the folder, and returns frames, peak, clipping and what the taps measured.",
    parameters: [
      patch, settings, duration,
      .init(
        "output", .path, isRequired: true,
        "The sound file to write, as \"mix.wav\"; its ending says which kind. A file that is there is replaced."
      ),
      .init("input", .path, "The sound file that the microphone hears."),
    ], isReadOnly: false
  ) { arguments throws(ToolProblem) in
    [
      "render", arguments.texts["patch"] ?? "", "--json", "--output",
      arguments.texts["output"] ?? "",
    ]
      + arguments.option("duration", "duration") + arguments.option("input", "input")
      + arguments.setOptions + confined
  }

  static let measure = Tool(
    name: "measure", title: "Measure a sound",
    summary:
      "Measures what a patch plays, or a sound file: peak, true peak and level of each channel, loudness (LUFS), clipping, clicks and drop-outs, as JSON; null is silence, or what cannot be measured.",
    parameters: [
      .init("file", .path, isRequired: true, "A patch or a sound file of the folder."),
      settings, duration,
    ], isReadOnly: true
  ) { arguments throws(ToolProblem) in
    ["measure", arguments.texts["file"] ?? "", "--json"]
      + arguments.option("duration", "duration") + arguments.setOptions + confined
  }

  static let response = Tool(
    name: "response", title: "Measure the frequency response of a path",
    summary:
      "Measures gain, phase and latency from an input or a callback of a patch to an output, by sines, and returns a table by frequency.",
    parameters: [
      patch, settings,
      .init("from", .text, isRequired: true, "An input, as \"mixer:1\", or a callback."),
      .init("to", .text, "An output, as \"mixer\"; not given, what the output unit plays."),
    ], isReadOnly: true
  ) { arguments throws(ToolProblem) in
    ["response", arguments.texts["patch"] ?? ""] + arguments.option("from", "from")
      + arguments.option("to", "to") + arguments.setOptions + confined
  }

  static let test = Tool(
    name: "test", title: "Run the tests of a patch",
    summary:
      "Runs a test file (NAME.test.json), and returns the measured value of every expectation, and every finding with the edit that would make it pass.",
    parameters: [
      .init("file", .path, isRequired: true, "A test file, or a folder with some."),
      .init("filter", .text, "Only tests with this in their names."),
    ], isReadOnly: true
  ) { arguments throws(ToolProblem) in
    ["test", arguments.texts["file"] ?? ""] + arguments.option("filter", "filter") + confined
  }

  static let diff = Tool(
    name: "diff", title: "How two patches differ",
    summary:
      "Returns the differences between two patches, which of them are audible, and how each would be applied while the first patch plays.",
    parameters: [
      .init("old", .path, isRequired: true, "The patch as it was."),
      .init("new", .path, isRequired: true, "The patch as it is."),
    ], isReadOnly: true
  ) { arguments throws(ToolProblem) in
    ["diff", arguments.texts["old"] ?? "", arguments.texts["new"] ?? ""] + confined
  }

  static let format = Tool(
    name: "fmt", title: "Format a patch",
    summary: "Formats a patch or a test file in the standard style. Comments and order are kept.",
    parameters: [patch], isReadOnly: false
  ) { arguments throws(ToolProblem) in ["fmt", arguments.texts["patch"] ?? "", "--color", "never"] }
}
