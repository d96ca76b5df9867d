import AudioTypes

/// What is in doubt because of the mistakes that have been reported, so that one mistake is told once:
/// a rule says by what it is silenced (`Rule.silencedBy`).
struct RaisedDoubts {
  /// Of the patch as a whole.
  private(set) var ofPatch: Doubts = []
  private var ofNodes: [NodeID: Doubts] = [:]
  /// What could not be set: nothing is said of the value that stands there instead.
  private var places: Set<Violation.Place> = []
  /// Names of nodes and callbacks that something is wrong with: nobody complains that they are not there.
  var names: Set<String> = []

  /// Raises doubts about the patch.
  mutating func raise(_ doubts: Doubts) { ofPatch.formUnion(doubts) }

  /// Raises doubts about a node.
  mutating func raise(_ doubts: Doubts, about node: NodeID) {
    ofNodes[node, default: []].formUnion(doubts)
    if doubts.contains(.feeds) { raise(.feedsElsewhere) }
  }

  /// Raises doubt about a property of a node that could not be set.
  mutating func raise(at place: Violation.Place) {
    places.insert(place)
    guard let node = place.node, case .property(let property, _, _) = place.part else { return }
    if property == .enableIO { raise(.sides) }
    if property == .channelMap { raise(.channelMap, about: node) }
  }

  /// Whether something is in doubt about the patch.
  func isRaised(_ doubts: Doubts) -> Bool { !ofPatch.isDisjoint(with: doubts) }

  /// The nodes that something is in doubt about.
  func nodes(_ doubts: Doubts) -> Set<NodeID> {
    Set(ofNodes.filter { !$0.value.isDisjoint(with: doubts) }.keys)
  }

  /// Whether a rule is silent about a place.
  ///
  /// - Parameter isHead: Whether the node is the output unit: what is missing elsewhere may have been
  ///   meant for it.
  func silence(_ rule: Rule, at place: Violation.Place, isHead: (NodeID) -> Bool) -> Bool {
    guard !places.contains(place) else { return true }
    var doubts = ofPatch
    if let node = place.node {
      doubts.formUnion(ofNodes[node] ?? [])
      if ofPatch.contains(.gaps), isHead(node) { doubts.insert(.feeds) }
    } else {
      doubts.formUnion([.feeds, .format])
    }
    return !rule.silencedBy.isDisjoint(with: doubts)
  }
}
