import AudioTypes

/// The states that a call demands.
enum GraphStates {
  static let rule = Rule(
    "PR0309", "graph/state", "A call is made in a state of the graph that permits it.")
  static let nothingConnected = Rule(
    "PR0312", "connection/there", "What is disconnected was connected.")

  /// No code is documented: the one that a re-implementation of AUGraph gives.
  static func notOpen() -> Violation {
    Violation(
      rule, status: .uninitialized, "the graph is not open", at: .graph,
      help: ["call open() first"])
  }

  static func notInitialized() -> Violation {
    Violation(
      rule, status: .cannotDoInCurrentContext, "the graph is not initialized", at: .graph,
      help: ["call initialize() before start()"])
  }

  static func closed() -> Violation {
    Violation(
      rule, status: .badComponentInstance, "the graph has been closed: its units are gone",
      at: .graph, help: ["stop, uninitialize, then close"])
  }

  static func initialized(_ what: String) -> Violation {
    Violation(
      rule, status: .initialized, "\(what) before the graph is initialized", at: .graph)
  }
}
