import AudioTypes
import SoundMeasures

extension ExpectationKind {
  public static let diagnostics = ExpectationKind(
    "diagnostics", "The codes that validating the patch reports, and no others.",
    rule: ExpectationRules.diagnostics,
    bound: nil,
    lists: [
      .init("codes", .texts, isRequired: true, "The codes; none for a patch without findings.")
    ],
    shorthand: .list("codes"), subject: .patch,
    measure: { expectation, patch throws(ExpectationProblem) in
      let expected = Set(expectation.texts["codes"] ?? [])
      let found = Set(try patch.findings().map(\.rawValue))
      let missing = expected.subtracting(found).sorted()
      let surplus = found.subtracting(expected).sorted()
      var quantity = MeasuredQuantity(
        "findings that are not as expected", .count,
        [.init(Double(missing.count + surplus.count))], .atMost(0), key: "codes",
        notes: missing.map { "\($0) is expected, and is not found" }
          + surplus.map { "\($0) is found, and is not expected" })
      quantity.correction = (
        "codes", "[" + found.sorted().map { "\"\($0)\"" }.joined(separator: ", ") + "]"
      )
      return [quantity]
    })
}

extension ExpectationRules {
  static let diagnostics = Rule(
    "PR1149", "sound/diagnostics",
    "a patch has the findings that are expected, and no others",
    page: .init(
      "The patch has the findings that are listed, and no others.",
      because: """
        A patch that is wrong on purpose, for a test of what runs patchrun, or a warning
        that is known and accepted. Codes are counted once each; notes count where they
        are listed.
        """,
      example: .expectation(
        right: "{ \"diagnostics\": [] }", wrong: "{ \"diagnostics\": [\"PR0603\"] }")))
}
