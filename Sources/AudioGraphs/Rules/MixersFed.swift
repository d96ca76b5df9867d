package import AudioTypes

/// A pulled mixer is fed: else it puts out silence, and nothing fails.
package enum MixersFed {
  package static let rule = Rule(
    "PR0316", "graph/mixer-fed",
    "a mixer that something takes from is fed by something",
    severity: .warning,
    silencedBy: [.unreadNode, .gaps, .destination, .feeds],
    page: .init(
      "A mixer that something takes from is fed by something.",
      because: """
        A mixer needs no input, so that nothing fails: it puts out silence, and `render` ends with "the
        result is all silence". Mostly a connection was forgotten, or leads to another mixer.
        """,
      example: .patch(
        ExamplePatches.mixer,
        wrong: [
          "\"callbacks\": { \"tone\": { \"kind\": \"tone\" } },\n  ": "",
          "{ \"from\": \"tone\", \"to\": \"mixer:0\" },\n    ": "",
        ])))

  static func violation(_ node: GraphModel.Node) -> Violation {
    Violation(
      rule, status: .ok,
      "nothing feeds the mixer '\(node.name)': it puts out silence",
      at: .init(node: node.id, .whole),
      help: ["connect a node or a callback to it: { \"from\": \"…\", \"to\": \"\(node.name)\" }"])
  }
}
