public import AudioTypes

extension NameRules {
  /// A patch uses what this version of patchrun has.
  public static let notYet = Rule(
    "PR0208", "patch/not-yet",
    "a patch uses what this version of patchrun has",
    page: .init(
      "A patch uses what this version of patchrun has.",
      because: """
        The format of patches has more than this version can run. Leaving it out in silence would
        let the patch sound different from what it says.
        """,
      example: .none(
        "It takes two files: a patch with a sub-graph whose timeline has an update of its own.")))
}
