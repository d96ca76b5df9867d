import AudioTypes

extension ExpectationKind {
  public static let sameAtSlices = ExpectationKind(
    "sameAtSlices", "Rendered in slices of these lengths, the sound is the same.",
    rule: ExpectationRules.sameAtSlices,
    bound: .init(.dBFS, in: -400...0, standard: .atMost(-140), alias: .atMost("nullBelow")),
    lists: [.init("slices", .numbers, isRequired: true, "The lengths, in frames.")],
    shorthand: .list("slices"),
    measure: { expectation, patch throws(ExpectationProblem) in
      let sound = try patch.sound(for: expectation)
      var found: [MeasuredQuantity] = []
      for slice in expectation.numbers["slices"] ?? [] {
        guard slice >= 1, slice <= 65_536, slice == slice.rounded() else {
          throw ExpectationProblem(
            "a slice has a whole number of frames, 1 to 65536", key: "slices")
        }
        let other = try patch.sound(for: expectation, .slices(Int(slice)))
        found += try expectation.differences(
          of: other, and: sound, "slices of \(BoundUnit.frames.text(slice))")
      }
      return found
    })
}

extension ExpectationRules {
  static let sameAtSlices = Rule(
    "PR1147", "sound/same-at-slices",
    "a sound does not depend on how it is sliced",
    page: .init(
      "Rendered in slices of other lengths, the sound is the same.",
      because: """
        A device asks for slices of its own length. patchrun's units and callbacks put
        out the same whatever that is; a native callback has to be held to it. The
        difference is to be below -140 dB where nothing else is said.
        """,
      example: .none(
        "No patch of patchrun's own units breaks it: a native callback that counts slices would.")))
}
