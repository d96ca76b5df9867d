import AudioTypes
import RenderCore

extension ExpectationKind {
  public static let golden = ExpectationKind(
    "golden",
    "The sound is that of a file, but for a difference below -100 dB, or below `nullBelow`.",
    rule: ExpectationRules.golden,
    bound: .init(.dBFS, in: -400...0, standard: .atMost(-100), alias: .atMost("nullBelow")),
    settings: [
      SettingInfo(
        "path", .path, isRequired: true,
        summary: "The file, relative to the test file. '--bless' writes it."),
      SettingInfo(
        "kernel", .text,
        summary:
          "The kernel class that has rendered it. With the same one the difference is to be below -140 dB "
          + "where nothing else is said."),
    ],
    shorthand: .setting("path"),
    measure: { expectation, patch throws(ExpectationProblem) in
      let sound = try patch.sound(for: expectation)
      let golden = try patch.golden(expectation.text("path") ?? "", for: expectation)
      let kernel = expectation.text("kernel")
      var strict = expectation
      if expectation.boundPlaces.high == nil, kernel == VectorMath.name {
        strict.bound = .atMost(-140)
      }
      return try strict.differences(of: sound, and: golden, "the golden").map { quantity in
        var quantity = quantity
        if let kernel, kernel != VectorMath.name {
          quantity.notes.append(
            "the golden is of the kernel class \(kernel), and this is \(VectorMath.name)")
        }
        if !quantity.holds {
          quantity.notes.append(
            "where it has changed on purpose, 'patchrun test --bless' writes the golden anew")
        }
        return quantity
      }
    })
}

extension ExpectationRules {
  static let golden = Rule(
    "PR1145", "sound/golden",
    "a sound is still that of its golden file",
    page: .init(
      "The sound is that of a golden file: what is left of both when one is subtracted from the other is below a bound, -100 dB where none is given.",
      because: """
        A golden is what was heard when the test was made, and found good; `patchrun
        test --bless` writes it. Rendered by another kind of processor the sound may
        differ by -140 dBFS, never by more: patchrun says which kind wrote a golden.
        Where the change is meant, bless it again; `--artifacts` writes both sounds and
        their difference.
        """,
      example: .expectation(
        right: "{ \"golden\": \"tone.golden.wav\" }", wrong: "{ \"golden\": \"tone.golden.wav\" }",
        wrongSettings: "\"/callbacks/tone/amplitude\": 0.501")))
}
