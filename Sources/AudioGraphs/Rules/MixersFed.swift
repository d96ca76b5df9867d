import AudioTypes

/// A mixer that is pulled has something that feeds it: else it puts out silence, and nothing fails.
enum MixersFed {
  static let rule = Rule(
    "PR0316", "graph/mixer-fed", "A mixer that something takes from is fed by something.")

  static func violation(_ node: GraphModel.Node) -> Violation {
    Violation(
      rule, .warning, status: .ok,
      "nothing feeds the mixer '\(node.name)': it puts out silence",
      at: .init(node: node.id, .whole),
      help: ["connect a node or a callback to it: { \"from\": \"…\", \"to\": \"\(node.name)\" }"])
  }
}
