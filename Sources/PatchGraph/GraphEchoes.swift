import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import PatchSyntax

/// What the graph itself finds, without what only follows from a mistake that has been reported.
extension GraphBuilder {
  mutating func reportViolations() {
    let (violations, configurations) = graph.examination()
    layout.configurations = configurations
    if isDefaultMissing {
      // The buses that would have had the patch's own format.
      for violation in violations where ["PR0404", "PR0406"].contains(violation.rule.code) {
        if let node = violation.place.node { unformatted.insert(node) }
      }
    }
    let downstream = downstream(of: unformatted)
    var echoes: [Violation] = []
    /// Those of which other elements may have twins.
    var reported: [NodeID?: [Violation]] = [:]
    for violation in violations {
      if isEcho(violation, downstream) {
        echoes.append(violation)
      } else if violation.rule.code == "PR0311", !playsBehindLockedScreen {
        if saysNotes { reportNote(violation) }
      } else if !reported[violation.place.node, default: []].contains(where: {
        isTwin(violation, of: $0)
      }) {
        if violation.rule.code == "PR0431" {
          reported[violation.place.node, default: []].append(violation)
        }
        report(violation)
      }
    }
    checkExpectedFormats(violations, configurations)
    // An echo has a voice that it is the echo of. Without one, what initialize refuses is told.
    if !unread.isAny, !findings.kept.hasErrors {
      for violation in echoes where violation.severity == .error { report(violation) }
    }
    guard !hasGaps, !findings.kept.hasErrors else { return }
    reportHeadroom(configurations)
    if saysNotes { reportNotes(configurations) }
  }

  /// Whether a violation says of another element what has been said of one, at the same place of the
  /// text: then what is wrong is what both have from there.
  private func isTwin(_ violation: Violation, of other: Violation) -> Bool {
    guard violation.rule == other.rule, violation.place != other.place,
      violation.place.node == other.place.node, violation.rule.code == "PR0431"
    else { return false }
    return places.value(violation.place).range == places.value(other.place).range
  }

  // MARK: The screen lock

  /// Whether the patch says that it plays on when the screen is locked: only then do slices of 4096
  /// frames come. The category where none is written, soloAmbient, is silent then, as ambient is.
  private var playsBehindLockedScreen: Bool {
    guard let category = document.session?.value.category?.value else { return false }
    return ["playback", "playAndRecord", "multiRoute"].contains(category)
  }

  private mutating func reportNote(_ violation: Violation) {
    var note = violation.diagnostic(in: places)
    note.severity = .note
    report(note)
  }

  // MARK: Formats of connected inputs

  /// A format that is set on an input which takes its own from a connection.
  struct ExpectedFormat {
    var node: NodeID
    var input: Int
    var rate: Double
    /// `nil` where only the rate is set.
    var format: StreamFormat?
    var json: JSONValue
  }

  /// A format on a connected input changes nothing where it is the one that arrives, and is refused
  /// where it is another.
  private mutating func checkExpectedFormats(
    _ violations: [Violation], _ configurations: [NodeID: UnitConfiguration]
  ) {
    guard !expectedFormats.isEmpty else { return }
    // What arrives behind a mistake is not known.
    let wrong = violations.filter { $0.severity == .error }.compactMap(\.place.node)
    let doubtful = downstream(of: unformatted.union(unreadNodes).union(bereft).union(wrong))
    for expected in expectedFormats {
      guard !doubtful.contains(expected.node),
        let element = configurations[expected.node]?.inputs.dropFirst(expected.input).first,
        case .propagated(let source, let output) = element.origin
      else { continue }
      if let format = expected.format, format == element.format { continue }
      if expected.format == nil, expected.rate == element.format.sampleRate { continue }
      let violation = Violation.otherFormat(
        element.format, wanted: expected.format?.summary ?? "\(rateText(expected.rate)) Hz",
        expected.input, at: .init(node: expected.node, .streamFormat(.input, expected.input)),
        notes: [
          .init("it comes from here", at: .init(node: source, .streamFormat(.output, output)))
        ])
      report(violation, at: expected.json)
    }
  }

  // MARK: Echoes

  /// Rules that a mistake in a stream format makes a graph break.
  private static let ofFormats: Set<String> = ["PR0509", "PR0608", "PR0705"]
  /// Rules that depend on what the session is granted.
  private static let ofSession: Set<String> = [
    "PR0310", "PR0405", "PR0407", "PR0408", "PR0421", "PR0608", "PR0705",
  ]
  /// Rules that do not depend on how a node is set up, but on what it is connected to.
  private static let ofConnections: Set<String> = ["PR0302", "PR0306", "PR0307", "PR0308"]

  private func isEcho(_ violation: Violation, _ unformatted: Set<NodeID>) -> Bool {
    let code = violation.rule.code
    let node = violation.place.node
    guard !unset.contains(violation.place) else { return true }
    if !Self.ofConnections.contains(code), node.map(unreadNodes.contains) == true { return true }
    if isSessionUnknown, Self.ofSession.contains(code) { return true }
    switch code {
    case "PR0302": return hasGaps
    case "PR0308": return hasGaps || !bereft.isEmpty
    case "PR0307":
      // What is missing elsewhere may have been meant for the output unit.
      if node.map(isHead) == true, isUnset(.enableIO, of: node) { return true }
      return hasLostDestination || node.map(bereft.contains) != false
        || hasGaps && node.map(isHead) != false
    case "PR0316": return hasLostDestination || hasGaps || node.map(bereft.contains) != false
    case "PR0601", "PR0602", "PR0605", "PR0311":
      // Which sides are on is not known.
      return isUnset(.enableIO, of: code == "PR0311" ? nil : node)
    case "PR0423":
      return isUnset(.channelMap, of: node) || node.map(unformatted.contains) != false
    case "PR0404" where node.map(defaultless.contains) == true: return true
    case _ where code.hasPrefix("PR04") || Self.ofFormats.contains(code):
      return node.map(unformatted.contains) != false
    default: return false
    }
  }

  /// Whether a property could not be set on any element of a node, or of any node.
  private func isUnset(_ property: PropertyID, of node: NodeID?) -> Bool {
    unset.contains { place in
      guard node == nil || place.node == node, case .property(let id, _, _) = place.part else {
        return false
      }
      return id == property
    }
  }

  private func isHead(_ node: NodeID) -> Bool {
    (try? graph.unit(node))?.description.isOutput == true
  }

  private func downstream(of start: Set<NodeID>) -> Set<NodeID> {
    guard !start.isEmpty else { return [] }
    let takers = Dictionary(grouping: graph.interactions.compactMap(\.link), by: \.source)
    var reached = start
    var queue = Array(start)
    while let id = queue.popLast() {
      for connection in takers[id] ?? [] where reached.insert(connection.destination).inserted {
        queue.append(connection.destination)
      }
    }
    return reached
  }
}
