import AudioTypes
public import AudioUnits
import PatchGraph
import RenderCallbacks
import RenderCore
import RenderTaps

/// The page `patchrun-patch(5)`: the language of patches, printed from the descriptions that the
/// schema, the listings of units and the catalog of rules are printed from.
public enum PatchManual {
  /// - Parameters:
  ///   - date: As mdoc writes it: `November 21, 2026`.
  ///   - release: The program and its version.
  public static func text(
    date: String, release: String, catalog: UnitCatalog = .standard
  ) -> String {
    var page = ManualPage(
      "patchrun-patch", section: 5, date: date, release: release,
      summary: "audio graphs that are written down, for patchrun")
    let schema = SchemaManual(schema: PatchSchema.schema(catalog: catalog))
    describe(&page)
    page.section("Keys of a patch")
    page.list(schema.entries(of: schema.schema))
    page.section("Session")
    page.list(schema.entries(of: schema.definition("session")))
    page.section("Limits")
    page.list(schema.entries(of: schema.definition("limits")))
    repetition(&page)
    nodes(&page, schema, catalog)
    addresses(&page, schema)
    formats(&page, schema)
    callbacks(&page)
    page.section("Taps")
    page.paragraph(
      "A tap watches the bus that `at` names, an output of a node, and does not change what is heard."
    )
    page.list(TapCatalog.ofPatches.kinds.map { kind(SettingKind($0)) })
    timeline(&page, schema)
    subgraphs(&page)
    UnitManual(catalog: catalog).add(to: &page)
    examples(&page)
    rules(&page)
    page.section("See also")
    page.macro(".Xr patchrun 1")
    page.section("Standards")
    page.paragraph(
      """
      JSON is that of RFC 8259, a pointer that of RFC 6901, an operation of the timeline that of RFC \
      6902. Units, properties, parameters, stream formats and status codes are those of Core Audio \
      in iOS 4, with its names and numbers; what is not Core Audio's is marked as ours.
      """)
    return page.text
  }

  private static func describe(_ page: inout ManualPage) {
    page.section("Description")
    page.paragraph(
      """
      A patch is a JSON document that names audio units, the connections between them, their stream \
      formats, properties and parameters, and the callbacks that feed them. It has an object for \
      each, with names as keys, so that every setting has an address: its JSON Pointer.
      """)
    page.paragraph(
      """
      A file that ends in `.json` is strict JSON in UTF-8. In one that ends in `.jsonc` there may be \
      comments and trailing commas. Every object may have a `comment`, a text or an array of texts, \
      which is passed over. A key that is not known is an error. Paths are relative to the patch.
      """)
    page.paragraph(
      """
      Names are used wherever Core Audio has names. Its own forms are taken too: four-character \
      codes, `kAudio...` constants, and the fields of an AudioStreamBasicDescription.
      """)
  }

  private static func repetition(_ page: inout ManualPage) {
    page.section("Repetition")
    page.paragraph(
      """
      What has a `count` stands there so many times: a node, a callback, a connection, a tap, a bus, a \
      band, a step of the timeline. Copies are numbered from 0, and the number of each takes the place \
      of `{i}` in names and texts: `"strip{i}": { "count": 8, ... }`. A text that is all braces is a \
      number: `"{2 * i / 7 - 1}"`. In braces stand numbers, constants, parentheses and + - * / ^; in a \
      repetition inside of another the inner number is `j`. What plays has the copies.
      """)
  }

  private static func nodes(
    _ page: inout ManualPage, _ schema: SchemaManual, _ catalog: UnitCatalog
  ) {
    let node = UnitSchema(catalog: catalog)
    page.section("Nodes")
    page.paragraph(
      """
      A node is a component and its three scopes. `properties` and `parameters` of the node are the \
      global scope; `inputs` and `outputs` hold elements (buses) by number, as keys: `"0"`.
      """)
    page.list(schema.entries(of: node.node))
    page.paragraph("A bus of `inputs` or `outputs` has these keys, each of which may be left out:")
    page.list([
      .init("streamFormat", "Its stream format, see below."),
      .init("sampleRate", "Its rate alone, in hertz, or `\"session\"`."),
      .init("properties", "Its properties by name: those of its scope, marked * below."),
      .init("parameters", "Its parameters by name, each a number."),
    ])
    page.paragraph(
      """
      A component is a name from the list of units below, or its codes: `{ "type": "aumx", "subtype": \
      "mcmx", "manufacturer": "appl" }`. A code that is left out matches any, and exactly one unit \
      has to match.
      """)
  }

  private static func addresses(_ page: inout ManualPage, _ schema: SchemaManual) {
    page.section("Addresses and connections")
    page.paragraph(
      """
      An address is `node`, `node:bus` or `node:name`; `mixer` means `mixer:0`, and `mixer:Voice` the bus of that \
      `elementName`. A connection goes from an output element, or from a callback by its name, to an input \
      element. Of an I/O unit `io:0` is the loudspeaker, to which one connects, and `io:1` the microphone, from \
      which one takes; that side is off until `/nodes/io/inputs/1/properties/enableIO` is true.
      """)
    page.list(schema.entries(of: schema.definition("connection")))
    page.paragraph("One output feeds one input, and one input is fed once.")
  }

  private static func formats(_ page: inout ManualPage, _ schema: SchemaManual) {
    page.section("Stream formats")
    page.paragraph(
      """
      A stream format is a name from `streamFormats`, the short form, or an \
      AudioStreamBasicDescription. What crosses a bus is what its format can hold, rounded and \
      clipped; with the bus's property `dither`, rounded with noise in it.
      """)
    page.paragraph(
      """
      Most buses need none: on initialization a connection carries the format of its source to its \
      destination. One has to be given to an input that a callback feeds, to the output of an iPod \
      EQ and to `outputs/1` of an I/O unit whose microphone side is on, by the bus or by the \
      patch's `streamFormat`. `patchrun show` says what each bus has settled on.
      """)
    page.subsection("The short form")
    page.list(schema.entries(of: schema.definition("shortFormat")))
    page.subsection("AudioStreamBasicDescription")
    page.list(schema.entries(of: schema.definition("formatDescription")))
    page.paragraph("The names of flags:")
    page.list(
      FormatResolver.flagNames.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map {
        .init($0.key, "\($0.value)")
      })
  }

  private static func callbacks(_ page: inout ManualPage) {
    page.section("Callbacks")
    page.paragraph(
      """
      A callback feeds an input in the place of a connection. Its `kind` says what it is, and what \
      else it has. One with `from` processes what it pulls, frame for frame and without latency: the \
      bus that it feeds has the rate and the channels of the output that it pulls.
      """)
    page.list(CallbackCatalog.standard.map { kind(SettingKind($0)) })
    page.subsection("Expressions")
    page.paragraph(
      """
      The `value` of an expression is computed for each frame of each channel, in 64-bit floating \
      point, from these names, functions and operators and from its `constants`. What is not \
      finite is 0. Operators stand at the end, those that bind least first.
      """)
    page.list(
      (ExpressionLanguage.values + ExpressionLanguage.functions + ExpressionLanguage.operators)
        .map { .init($0.signature, $0.summary) })
  }

  /// A kind of callback or tap, with its settings.
  private static func kind(_ kind: SettingKind) -> ManualPage.Entry {
    var settings = kind.settings.map { setting in
      let more =
        setting.defaultValue.map { " Default: `\($0)`." }
        ?? (setting.isRequired ? " Required." : "")
      return ManualPage.Entry(
        setting.key, "\(setting.summary) \(sentence(setting.expectation))\(more)")
    }
    if kind.input != .none {
      settings.append(
        .init("from", SettingSchema.fromSummary + (kind.input == .required ? " Required." : "")))
    }
    return ManualPage.Entry(kind.kind, kind.summary, entries: settings)
  }

  private static func timeline(_ page: inout ManualPage, _ schema: SchemaManual) {
    let step = schema.definition("step")
    page.section("The timeline")
    page.paragraph(
      """
      A step says when, counted from the start, and one thing that happens then. Times are true to \
      the frame: the same patch gives the same samples with slices of any length, live or offline. \
      Steps at one time happen in the order written.
      """)
    page.list(schema.entries(of: step))
    page.subsection("Times")
    page.paragraph("A time is a number of seconds, or an object with one of these keys:")
    page.list(schema.entries(of: schema.definition("time")))
    page.subsection("A repetition")
    page.list(schema.entries(of: schema.member("repeat", of: step)))
    page.subsection("A ramp")
    page.list(schema.entries(of: schema.member("ramp", of: step)))
    page.subsection("An update")
    page.paragraph(
      """
      The operations of an update are made one after the other, all of them or none. What comes of \
      them is validated as a whole patch. `session`, `limits`, `tempo`, `timeline` and `schemaVersion` stay as \
      they are. Each operation has `op`, a `path`, and a `value` or a `from` where it needs one:
      """)
    page.list(schema.choices("op", of: schema.definition("operation")))
  }

  private static func subgraphs(_ page: inout ManualPage) {
    page.section("Sub-graphs")
    page.paragraph(
      """
      A node with `subgraph` is another patch, to any depth. That patch ends in a GenericOutput; what \
      it is fed comes out at the node's output 0. The node's inputs are the patch's callbacks of the \
      kind `input`, by their `bus`. `settings` change it for this one use: values by their JSON \
      Pointers into it. A pointer goes on into a sub-graph, \
      `/nodes/strip/nodes/fader/inputs/0/parameters/pan`, and what is inside is called \
      `strip/fader` in messages and for taps.
      """)
    page.paragraph(
      """
      What a patch declares under `knobs` the patches around it turn as parameters of the sub-graph: `"knobs": \
      { "level": "/nodes/fader/inputs/0/parameters/volume" }` is set by `"parameters": { "level": 0.5 }` of \
      the node, and ramped and turned live as `/nodes/strip/parameters/level`. A knob turns what one pointer \
      leads to, or several in an array; an object `{ "turns": ..., "min": ..., "max": ... }` narrows its range.
      """)
  }

  private static func examples(_ page: inout ManualPage) {
    page.section("Examples")
    guard let example = StarterPatch.named("mixer-host") else { return }
    page.paragraph("A patch that runs as it is. `patchrun new` writes it, and others:")
    page.code(example.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast())
    page.list(StarterPatch.all.map { .init("patchrun new \($0.name)", sentence($0.summary)) })
  }

  private static func rules(_ page: inout ManualPage) {
    page.section("Diagnostics")
    page.paragraph(
      """
      What holds of a patch that is right, by the code that a message has where it does not. \
      `patchrun explain PR0405` explains one, with a wrong and a right patch.
      """)
    page.list(
      RuleCatalog.all.map { rule in
        let kind = rule.severity == .error ? "" : " (\(rule.severity))"
        let status = rule.status.map { " `\($0)`" } ?? ""
        return .init("\(rule.code) \(rule.name)", "\(sentence(rule.summary))\(kind)\(status)")
      })
  }
}
