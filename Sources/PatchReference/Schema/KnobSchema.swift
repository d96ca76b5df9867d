import PatchSyntax

/// The schemas of knobs: where they are declared, and where they are set.
extension Schema {
  /// A knob: the places that it turns, or an object that also narrows the range.
  static let knob: JSONText = [
    "description": """
    What it turns, by its place in this patch: a JSON Pointer, several of them, or an object that narrows \
    the range.
    """,
    "if": ["type": "object"],
    "then": reference("knobObject"),
    "else": reference("knobPlace"),
  ]

  static let knobObject = object(PatchGrammar.knob.form)

  /// Pointers to parameters, to settings of callbacks, or to knobs of sub-graphs.
  static let knobPlace: JSONText = [
    "description": """
    A JSON Pointer, or several: /nodes/eq/parameters/globalGain, /nodes/mixer/inputs/0/parameters/volume, \
    /callbacks/song/gain.
    """,
    "type": ["string", "array"],
    "pattern": .string(placePattern),
    "items": ["type": "string", "pattern": .string(placePattern)],
    "minItems": 1,
  ]

  private static let placePattern =
    "^(/nodes/[^/]+)*(/nodes/[^/]+((/(inputs|outputs)/(0|[1-9][0-9]{0,9}))?/parameters/[^/]+"
    + "|/bands/(0|[1-9][0-9]?)/[^/]+)|/callbacks/[^/]+/(constants/)?[^/]+)$|" + formulaPattern

  /// An end of a range: a number, with a unit or none.
  static let knobEnd: JSONText = [
    "description": "A number, as it is written where what the knob turns is set.",
    "type": ["number", "string"],
    "pattern": .string(ValuePatterns.amount),
  ]

  /// The knobs of a sub-graph that the patch around it sets.
  static let setKnobs: JSONText = [
    "description": "The knobs of the sub-graph that are set, by their names.",
    "type": "object",
    "properties": ["comment": reference("comment")],
    "additionalProperties": ["type": ["number", "string", "boolean"]],
  ]
}
