import PatchSyntax

extension ControlHistory {
  /// The answer of `GET /history`.
  var json: JSONText {
    [
      "present": .number(present),
      "steps": .array(
        steps.map { step in
          [
            "number": .number(step.number), "age": .number(step.age.rounded(digits: 3)),
            "by": .string(step.origin.rawValue), "isUndone": .boolean(step.isUndone),
            "changes": .array(step.effects.map(\.json)),
          ]
        }),
    ]
  }
}
