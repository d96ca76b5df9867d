import AudioTypes

/// What a tap writes takes the place of nothing that patchrun has not written.
enum TakesOwn {
  static let rule = Rule(
    "PR0719", "tap/own-file", "A tap replaces nothing that patchrun has not written.")
}
