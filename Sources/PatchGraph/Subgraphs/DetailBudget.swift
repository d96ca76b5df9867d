import AudioTypes
import Diagnostics
import PatchSyntax

/// Decides which findings get help and edits that need a walk through the whole patch: of each kind
/// as many as are shown.
///
/// In a patch with sub-graphs all findings are kept at first. Those of a sub-graph that is used
/// often repeat, and are shown once (`SubgraphFindings`): the first of them has the help.
struct DetailBudget {
  private let limit: Int
  /// How many findings of a kind the patch's own text has.
  private var own: [Rule.Code: Int] = [:]
  /// The places of findings in texts of sub-graphs.
  private var inside: [Rule.Code: Set<Place>] = [:]

  private struct Place: Hashable {
    var file: String
    var offset: Int
  }

  /// - Parameter limit: How many findings of each kind are shown.
  init(limit: Int) { self.limit = limit }

  /// Whether to look for help; counts the finding.
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
