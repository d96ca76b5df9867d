package import AudioTypes

/// Connections form no cycle; the two sides of an I/O unit are none.
package enum AcyclicConnections {
  package static let rule = Rule(
    "PR0306", "graph/acyclic",
    "no connections lead in a circle",
    statuses: [.invalidConnection],
    silencedBy: [],
    page: .init(
      "Connections do not lead in a circle.",
      because: """
        In the pull model each unit asks the one before it, so a circle would ask for ever. Feedback
        takes a delay: the `echo` callback has one. From the microphone to the loudspeaker is no
        circle, though both are the same unit.
        """,
      statusNote: Rule.Page.undocumented,
      example: .patch(
        ExamplePatches.twoEqualizers,
        wrong: [
          "{ \"from\": \"tone\", \"to\": \"one\" }": "{ \"from\": \"two\", \"to\": \"one\" }",
          "{ \"from\": \"tone\", \"to\": \"two\" }": "{ \"from\": \"one\", \"to\": \"two\" }",
          "{ \"from\": \"one\", \"to\": \"mixer:0\" }":
            "{ \"from\": \"tone\", \"to\": \"mixer:0\" }",
          ",\n    { \"from\": \"two\", \"to\": \"mixer:1\" }": "",
        ])))

  /// One violation for each cycle, given the nodes that a topological order could not place.
  static func violations(stuck: [NodeID], in model: GraphModel) -> [Violation] {
    let inCircle = Set(stuck)
    let incoming = Dictionary(
      grouping: model.interactions.compactMap(\.link), by: \.destination)
    var seen: Set<NodeID> = []
    var found: [Violation] = []
    for start in stuck where !seen.contains(start) {
      // Walk upstream until a node is visited again: the cycle is the path since its first visit.
      var path: [Connection] = []
      var place: [NodeID: Int] = [:]
      var current = start
      while place[current] == nil && !seen.contains(current) {
        place[current] = path.count
        guard
          let feed = incoming[current]?.first(where: { inCircle.contains($0.source) })
        else { break }
        path.append(feed)
        current = feed.source
      }
      seen.formUnion(place.keys)
      guard let first = place[current], first < path.count else { continue }
      let circle = Array(path[first...].reversed())
      guard let last = circle.last else { continue }
      let names =
        circle.map { "'\(model.name($0.source))'" } + ["'\(model.name(circle[0].source))'"]
      found.append(
        Violation(
          rule, status: .invalidConnection,
          "the connections lead in a circle: \(names.joined(separator: " -> "))",
          at: .init(node: last.destination, .feed(last.input)),
          help: ["remove one of them: a node is pulled once in a slice, and cannot wait for itself"]
        ))
    }
    return found
  }
}
