import AudioTypes
public import AudioUnits

/// The pages of the reference: the Markdown files in the folder `schema`, printed from the
/// descriptions of units, callbacks, taps and expectations.
public enum ReferencePages {
  public struct Page: Hashable, Sendable {
    /// The path in the folder: `units/NBandEQ.md`.
    public var path: String
    public var text: String
  }

  /// The overview, the properties of every unit, a page for each unit, and the kinds of callback,
  /// expression, tap and expectation.
  public static var pages: [Page] {
    let listing = UnitListing()
    return [overview, common]
      + UnitCatalog.standard.components.map { page(of: $0, in: listing) }
      + [callbacks, expressions, taps, expectations]
  }

  /// The page of one unit.
  public static func page(
    of component: UnitCatalog.Component, in listing: UnitListing = UnitListing()
  ) -> Page {
    let unit = component.unit.description
    return Page(path: "units/\(unit.name).md", text: text(of: unit, listing))
  }

  /// The overview: the contents of the folder, and all units.
  public static var overview: Page {
    Page(
      path: "README.md",
      text: """
        # Reference

        The two schemas are what an editor reads. The pages are for people. The program prints all of
        them: `patchrun schema`, `patchrun schema --tests` and `patchrun units --pages schema`.

        | File | What it is |
        | --- | --- |
        | [`patch.schema.json`](patch.schema.json) | the JSON Schema of a patch |
        | [`test.schema.json`](test.schema.json) | the JSON Schema of a test file |
        | [`callbacks.md`](callbacks.md) | the kinds of callback and their settings |
        | [`expressions.md`](expressions.md) | what a formula may say |
        | [`taps.md`](taps.md) | the kinds of tap and their settings |
        | [`expectations.md`](expectations.md) | what a test may expect of a sound |
        | [`units/common.md`](units/common.md) | the properties that every unit has |

        [The manual](../.github/manual/README.md) explains how a patch is put together.

        ## Audio units

        \(UnitListing().overviewMarkdown())
        """)
  }

  private static var common: Page {
    Page(
      path: "units/common.md",
      text: """
        # Properties of every unit

        Each unit has these, besides its own. Those with an asterisk (\\*) may be set in a patch:

        ```json
        "mixer": { "component": "MultichannelMixer", "properties": { "maximumFramesPerSlice": 4096 } }
        ```

        `read, write` means that the property may also be set while the unit is initialized.
        Parameters may be set at any time.

        \(UnitListing().commonMarkdown())
        """)
  }

  private static var callbacks: Page {
    Page(
      path: "callbacks.md",
      text: """
        # Kinds of callback

        ```json
        "callbacks": { "wave": { "kind": "tone", "frequency": 440, "amplitude": 0.1 } }
        ```

        [Callbacks](../.github/manual/language/callbacks.md) explains how they are used. "turned" means that the
        setting may change while the callback plays, "ramped" that the timeline can ramp it.

        \(CallbackListing.markdown())
        """)
  }

  private static var expressions: Page {
    Page(
      path: "expressions.md",
      text: """
        # What a formula may say

        ```json
        "bell": { "kind": "expression", "value": "0.2 * exp(-3 * time) * sin(tau * 880 * time)" }
        ```

        [Expressions](../.github/manual/language/expressions.md) explains how they are used. Operators stand at the
        end of the table, those that bind least first.

        \(CallbackListing.expressionsMarkdown())
        """)
  }

  private static var taps: Page {
    Page(
      path: "taps.md",
      text: """
        # Kinds of tap

        ```json
        "taps": { "take": { "kind": "record", "at": "mixer", "path": "take.flac" } }
        ```

        [Taps](../.github/manual/language/taps.md) explains how they are used. Each tap has `at`, the bus that it
        watches, besides the settings of its kind.

        \(CallbackListing.tapsMarkdown())
        """)
  }

  private static var expectations: Page {
    Page(
      path: "expectations.md",
      text: """
        # What a test may expect of a sound

        ```json
        "expect": [ { "truePeak": { "atMost": -1 } }, { "clicks": 0 } ]
        ```

        [Testing the sound of a patch](../.github/manual/tests.md) explains how test files are written and run.
        `patchrun explain truePeak`, or the code, has a page with an example of each kind.

        \(ExpectationListing.markdown())
        """)
  }

  // MARK: A unit

  /// The manual's pages about units that a table does not explain, by the name of the unit.
  private static let guides = [
    "3DMixer": "3d-mixer.md", "Varispeed": "varispeed.md", "Splitter": "connections.md",
    "MultiSplitter": "connections.md", "Merger": "connections.md", "MatrixMixer": "connections.md",
    "remoteIO": "devices.md", "voiceProcessingIO": "devices.md",
    "FormatConverter": "stream-formats.md",
    "PeakLimiter": "connections.md", "GenericOutput": "sub-graphs.md",
  ]

  private static func text(of unit: UnitDescription, _ listing: UnitListing) -> String {
    var text = "# \(unit.name)\n\n\(unit.summary)\n\n"
    text += "```json\n\(example(of: unit))\n```\n\n"
    text += listing.markdown(of: unit)
    text += "\n[Every unit](common.md) has more properties. "
    text += "[All units](../README.md#audio-units)."
    if let guide = guides[unit.name] {
      text += " [The manual](../../.github/manual/language/\(guide)) says more about this one."
    }
    return text + "\n"
  }

  /// A node of the unit, with the first parameters that can be set, at their defaults.
  private static func example(of unit: UnitDescription) -> String {
    let node = "\"node\": { \"component\": \"\(unit.name)\""
    let isSettable: (ParameterInfo) -> Bool = { info in
      !info.isReadOnly && !info.isOfBand && info.valueNames.isEmpty
    }
    let settable = unit.listedParameters.filter(isSettable)
    guard let first = settable.first else { return node + " }" }
    let values = settable.filter { $0.scope == first.scope }.prefix(2).map { info in
      "\"\(info.key)\": \(SettingRow(info).defaultValue)"
    }
    let parameters = "\"parameters\": { \(values.joined(separator: ", ")) }"
    switch first.scope {
    case .input: return node + ", \"inputs\": { \"0\": { \(parameters) } } }"
    case .output: return node + ", \"outputs\": { \"0\": { \(parameters) } } }"
    default: return node + ", \(parameters) }"
    }
  }
}
