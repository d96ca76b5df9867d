public import AudioTypes

extension PatchRules {
  /// Numbers are in their ranges.
  public static let range = Rule(
    "PR0109", "patch/range",
    "numbers are such as can be meant",
    statuses: [.formatNotSupported], isStatusUsual: false,
    page: .init(
      "A number is one that can be meant: a time is not negative, a channel count not 0.",
      because: """
        Such numbers have no meaning at any unit. Limits that belong to a unit have codes of their
        own, PR0504 and PR0552. A rate is 1 Hz or more: Core Audio takes any below 3 MHz, 0 for one that is
        not known yet; from where on one can be meant is patchrun's choice.
        """,
      example: .patch(ExamplePatches.tone, wrong: ["44100": "0"])))
}
