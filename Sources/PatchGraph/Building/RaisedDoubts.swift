import AudioTypes

/// The doubts that reported mistakes have raised, so that each mistake is reported once: a rule
/// lists the doubts that silence it (`Rule.silencedBy`).
struct RaisedDoubts {
  /// The doubts about the whole patch.
  private(set) var ofPatch: Doubts = []
  private var ofNodes: [NodeID: Doubts] = [:]
  /// Places that could not be set. Rules must not report the values that are there instead.
  private var places: Set<Violation.Place> = []
  /// Names of nodes and callbacks with errors: a reference to one is not reported as unknown.
  var names: Set<String> = []

  /// Raises doubts about the patch.
  mutating func raise(_ doubts: Doubts) { ofPatch.formUnion(doubts) }

  /// Raises doubts about a node.
  mutating func raise(_ doubts: Doubts, about node: NodeID) {
    ofNodes[node, default: []].formUnion(doubts)
    if doubts.contains(.feeds) { raise(.feedsElsewhere) }
    if doubts.contains(.format) { raise(.formatElsewhere) }
  }

  /// Raises doubt about a property of a node that could not be set.
  mutating func raise(at place: Violation.Place) {
    places.insert(place)
    guard let node = place.node, case .property(let property, _, _) = place.part else { return }
    if property == .enableIO { raise(.sides) }
    if property == .channelMap { raise(.channelMap, about: node) }
  }

  /// Whether any of these doubts is raised about the patch.
  func isRaised(_ doubts: Doubts) -> Bool { !ofPatch.isDisjoint(with: doubts) }

  /// The nodes about which any of these doubts is raised.
  func nodes(_ doubts: Doubts) -> Set<NodeID> {
    Set(ofNodes.filter { !$0.value.isDisjoint(with: doubts) }.keys)
  }

  /// Whether doubts silence a rule at a place.
  ///
  /// - Parameter isOutputUnit: Whether a node is the output unit, for which a missing feed may have
  ///   been meant.
  func silences(_ rule: Rule, at place: Violation.Place, isOutputUnit: (NodeID) -> Bool) -> Bool {
    guard !places.contains(place) else { return true }
    var doubts = ofPatch
    if let node = place.node {
      doubts.formUnion(ofNodes[node] ?? [])
      if ofPatch.contains(.gaps), isOutputUnit(node) { doubts.insert(.feeds) }
    } else {
      doubts.formUnion([.feeds, .format])
    }
    return !rule.silencedBy.isDisjoint(with: doubts)
  }
}
