import AudioTypes

/// The rules and violations of calls in a wrong state.
enum GraphStates {
  static let rule = Rule(
    "PR0309", "graph/state",
    "a call is made in a state of the graph that permits it",
    statuses: [.cannotDoInCurrentContext, .uninitialized, .badComponentInstance, .initialized],
    page: .init(
      "A call is made when the graph permits it: new, open, initialize, start.",
      because: """
        Units exist from open on, and render from initialize on. AUGraphStart was seen to fail with -10863
        where AUGraphInitialize was forgotten, and AUGraphUninitialize with -2147450879 after AUGraphClose.
        patchrun itself keeps to the order.
        """,
      statusNote: """
        Observed on Apple's systems: -10863 for a start before initialize, -2147450879 for an
        uninitialize after close. The others are patchrun's choice.
        """,
      example: .swift(
        wrong: """
          try graph.open()
          try graph.start()
          """,
        right: """
          try graph.open()
          try graph.initialize()
          try graph.start()
          """)))
  static let nothingConnected = Rule(
    "PR0312", "connection/there",
    "what is disconnected was connected",
    statuses: [.invalidConnection],
    page: .init(
      "What is disconnected was connected.",
      because: """
        A second disconnect of the same input, or one of another input than was meant, does nothing,
        and the connection that was meant stays.
        """,
      statusNote: Rule.Page.undocumented,
      example: .swift(
        wrong: """
          try graph.connect(mixer, to: io)
          try graph.disconnect(mixer)
          """,
        right: """
          try graph.connect(mixer, to: io)
          try graph.disconnect(io)
          """)))

  /// Core Audio documents no status for this; it is that of a re-implementation of AUGraph.
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
