import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import PatchSyntax

/// Reports the violations that the graph finds, without those that only follow from a reported
/// mistake.
extension GraphBuilder {
  mutating func reportViolations() {
    let (violations, configurations) = graph.examination()
    layout.configurations = configurations
    if doubts.isRaised(.patchFormat) {
      // These buses would have the default format of the patch, which has an error.
      for violation in violations
      where [UnitRules.formatGiven, UnitRules.mixerOutputRate].contains(violation.rule) {
        if let node = violation.place.node { doubts.raise(.format, about: node) }
      }
    }
    // Nodes downstream of a format that could not be set depend on it.
    for node in downstream(of: doubts.nodes(.format)) { doubts.raise(.format, about: node) }
    if violations.contains(where: { $0.rule == UnitRules.formatSupported }) {
      doubts.raise(.formatElsewhere)
    }
    var echoes: [Violation] = []
    /// Reported violations that may be repeated for other elements of the same node.
    var reported: [NodeID?: [Violation]] = [:]
    for violation in violations {
      if isEcho(violation) {
        echoes.append(violation)
      } else if let side = MissingBuses.side(of: violation) {
        reportMissing(side, violation)
      } else if violation.rule == SlicesOfScreenLock.rule, !playsBehindLockedScreen {
        if reportsNotes { report(violation, as: .note) }
      } else if violation.severity == .note {
        if reportsNotes { report(violation) }
      } else if !reported[violation.place.node, default: []].contains(where: {
        isRepetition(violation, of: $0, configurations)
      }) {
        if Self.mayRepeat(violation) {
          reported[violation.place.node, default: []].append(violation)
        }
        report(violation, configurations)
      }
    }
    checkExpectedFormats(violations, configurations)
    // An echo follows from a reported mistake. Where no error has been reported, the errors among
    // the echoes are reported after all.
    if !unread.isAny, !findings.kept.hasErrors {
      for violation in echoes where violation.severity == .error { report(violation) }
    }
    guard !doubts.isRaised(.gaps), !findings.kept.hasErrors else { return }
    reportHeadroom(configurations)
    if reportsNotes { reportNotes(configurations) }
  }

  /// Whether a violation repeats a reported one about another element, from the same place in the
  /// text.
  private func isRepetition(
    _ violation: Violation, of other: Violation, _ configurations: [NodeID: UnitConfiguration]
  ) -> Bool {
    guard violation.rule == other.rule, violation.place != other.place,
      violation.place.node == other.place.node, Self.mayRepeat(violation)
    else { return false }
    if let rate = writtenRate(of: violation, configurations) {
      return rate.range == writtenRate(of: other, configurations)?.range
    }
    return places.value(violation.place).range == places.value(other.place).range
  }

  /// Whether one written place can break the rule for several elements of a unit.
  private static func mayRepeat(_ violation: Violation) -> Bool {
    violation.rule == UnitRules.spatialChannels || violation.rule == UnitRules.deviceRate
  }

  // MARK: The screen lock

  /// Whether the category keeps playing while the screen is locked: only then are slices of 4096
  /// frames pulled. soloAmbient, the default, and ambient are silent then.
  private var playsBehindLockedScreen: Bool {
    guard let category = document.session?.value.category?.value else { return false }
    return [.playback, .playAndRecord, .multiRoute].contains(category)
  }

  // MARK: Formats of connected inputs

  /// A format that is set on an input which gets its format from a connection.
  struct ExpectedFormat {
    var node: NodeID
    var input: Int
    var rate: Double
    /// `nil` where only the rate is set.
    var format: StreamFormat?
    var json: JSONValue
  }

  /// Reports formats on connected inputs that differ from the formats that arrive there.
  private mutating func checkExpectedFormats(
    _ violations: [Violation], _ configurations: [NodeID: UnitConfiguration]
  ) {
    guard !expectedFormats.isEmpty else { return }
    // Downstream of a mistake, the formats that arrive are not known.
    let wrong = violations.filter { $0.severity == .error }.compactMap(\.place.node)
    let doubtful = downstream(
      of: doubts.nodes([.format, .unreadNode, .feeds]).union(wrong))
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

  /// Whether a violation may only follow from a reported mistake.
  private func isEcho(_ violation: Violation) -> Bool {
    doubts.silences(violation.rule, at: violation.place, isOutputUnit: isOutputUnit)
  }

  private func isOutputUnit(_ node: NodeID) -> Bool {
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
