import AudioTypes
import Diagnostics
import PatchSyntax

/// Decides for which findings help and edits are looked for that take a walk through the whole patch: of
/// each kind for as many as are shown.
///
/// In a patch with sub-graphs all findings are kept at first, since those of a sub-graph that is used often
/// come as often and are shown once (`SubgraphFindings`): of these the first has the help.
struct DetailBudget {
  private let limit: Int
  /// How many there were of a kind in the patch's own text.
  private var own: [Rule.Code: Int] = [:]
  /// The places in texts of sub-graphs.
  private var inside: [Rule.Code: Set<Place>] = [:]

  private struct Place: Hashable {
    var file: String
    var offset: Int
  }

  /// - Parameter limit: How many findings of each kind are shown.
  init(limit: Int) { self.limit = limit }

  /// Whether help is looked for; counts the finding.
  mutating func admits(_ code: Rule.Code, at json: JSONValue) -> Bool {
    guard json.tree.base > 0 else {
      own[code, default: 0] += 1
      return own[code, default: 0] <= limit
    }
    let place = Place(file: json.tree.source.name, offset: json.localRange.lowerBound)
    return inside[code, default: []].insert(place).inserted
      && inside[code, default: []].count <= limit
  }
}
