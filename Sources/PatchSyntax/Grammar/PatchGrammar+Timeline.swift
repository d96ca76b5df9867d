import AudioTypes
import Diagnostics

/// The timeline.
extension PatchGrammar {
  /// A step as it is being read.
  package struct WrittenStep {
    var step: PatchDocument.Step
    var repetition: (json: JSONValue, value: PatchDocument.Repetition?)?
    /// The values of its actions. A valid step has exactly one.
    var actions: [JSONValue] = []
  }

  package static let step = ObjectGrammar<WrittenStep>(
    "a step of the timeline", "A moment of the timeline, and the one thing that happens then.",
    isRepeatable: true,
    [
      .time("at", required: true, "When, from the start.") { $0.step.at = $1 },
      .member(
        "repeat",
        """
        How often the step happens, for ramps, updates and triggers: at "at", and again each time that "every" has passed.
        """, .object(repetition.form)
      ) { $2.repetition = ($1, $0.repetition($1)) },
      .member(
        "ramp",
        "Moves a parameter, or a setting of a callback, to a value, from wherever it is then.",
        .object(ramp.form)
      ) { reader, json, written in
        written.actions.append(json)
        written.step.ramp = reader.ramp(json)
      },
      .member(
        "update",
        """
        Changes of this patch, as in RFC 6902: made one after the other, all of them or none. What \
        comes of them is a patch again.
        """, .list(of: "operation")
      ) { reader, json, written in
        written.actions.append(json)
        written.step.update = json
      },
      .member(
        "trigger",
        """
        A callback whose sound begins again, by its name, or several: a file, a sweep, an impulse, an \
        expression that pulls nothing. In a sub-graph it is called strip/song.
        """,
        .schema([
          "type": ["string", "array"],
          "minLength": 1,
          "items": ["type": "string", "minLength": 1],
          "minItems": 1,
        ])
      ) { reader, json, written in
        written.actions.append(json)
        written.step.triggers = reader.triggers(json)
      },
      .member(
        "stop", "Whether the patch ends here, be its sources at their end or not.",
        .schema(["type": "boolean"])
      ) { reader, json, written in
        written.actions.append(json)
        written.step.stop = reader.bool(json, "'stop'")
      },
    ])

  /// How often a step happens, as it is being read.
  package struct WrittenRepetition {
    var every: Located<PatchDocument.Time>?
    var count: Located<Int>?
  }

  static let repetition = ObjectGrammar<WrittenRepetition>(
    "'repeat'",
    [
      .time(
        "every", required: true, "From the beginning of one to that of the next: more than 0."
      ) { $0.every = $1 },
      .setting(
        .init(
          "count", .integer(1...PatchDocument.Repetition.maximumCount), isRequired: true,
          summary: "How often in all.")
      ) { $0.count = $1 },
    ])

  static let ramp = ObjectGrammar<PatchDocument.Ramp>(
    "a ramp",
    [
      .member(
        "path", required: true,
        """
        Its place in this patch, a JSON Pointer: /nodes/mixer/inputs/0/parameters/volume, \
        /nodes/matrix/properties/matrixLevels/0/1, /callbacks/song/gain.
        """,
        .schema([
          "type": "string",
          "pattern": .string(
            "^(/nodes/[^/]+)*(/nodes/[^/]+((/(inputs|outputs)/(0|[1-9][0-9]{0,9}))?/parameters/[^/]+"
              + "|/bands/(0|[1-9][0-9]?)/[^/]+|/properties/[^/]+(/(0|[1-9][0-9]?)){2})"
              + "|/callbacks/[^/]+/(constants/)?[^/]+)$|" + ValuePatterns.formula),
        ])
      ) { reader, json, ramp in
        guard let text = reader.string(json, "'path'") else { return }
        if let pointer = JSONPointer(parsing: text.value) {
          ramp.path = Located(pointer, at: json)
        } else {
          reader.diagnostics.append(.notAPointer(json, text.value))
        }
      },
      .member(
        "to", required: true,
        "The value that it is to reach, with a unit or none, as where it is set.",
        .schema(["type": ["number", "string"], "pattern": .string(ValuePatterns.amount)])
      ) { $2.to = $1 },
      .member(
        "duration", "How long it takes; left out, it happens at once, without a click.",
        .definition("time", default: 0)
      ) { $2.duration = $0.time($1, "'duration'") },
      .setting(
        .init(
          "curve", .choice(of: RampCurve.self), defaultValue: .text("linear"),
          summary: "The course it takes."), rule: PatchRules.curve
      ) { $0.curve = $1 },
    ])

  /// A time that names its unit, as it is being read.
  package struct WrittenTime {
    var times: [PatchDocument.Time] = []
  }

  package static let time = ObjectGrammar<WrittenTime>(
    "a time",
    [
      amount("frames", "Frames at the rate of the session.") { .frames($0) },
      amount("beats", "Beats of the patch's \"tempo\".") { .beats($0) },
    ])

  /// A number of frames or beats below 2^53. The graph checks closer limits.
  private static func amount(
    _ key: String, _ summary: String,
    _ time: @escaping @Sendable (Double) -> PatchDocument.Time
  ) -> MemberGrammar<WrittenTime> {
    let name = "'\(key)'"
    return .member(
      key, summary,
      .schema(["type": "number", "minimum": 0, "exclusiveMaximum": 9_007_199_254_740_992])
    ) { reader, json, written in
      guard reader.check(json, name, .number),
        let number = reader.nonNegative(json, name, key, below: 0x1p53)
      else { return }
      written.times.append(time(number))
    }
  }
}
