import AudioTypes
import Diagnostics
import PatchSyntax

/// Decides which findings get help and edits that take a walk through the whole patch: of each kind
/// as many as are shown.
///
/// In a patch with sub-graphs, all findings are kept at first. Equal findings of a sub-graph that
/// is used several times are shown once (`SubgraphFindings`), so only the first of them needs help.
struct DetailBudget {
  private let limit: Int
  /// How many findings of each kind have been counted in the patch's own text.
  private var own: [Rule.Code: Int] = [:]
  /// The places of findings in texts of sub-graphs.
  private var inside: [Rule.Code: Set<Place>] = [:]

  private struct Place: Hashable {
    var file: String
    var offset: Int
  }

  /// - Parameter limit: How many findings of each kind are shown.
  init(limit: Int) { self.limit = limit }

  /// Counts a finding. Returns whether it gets help.
  mutating func spend(on code: Rule.Code, at json: JSONValue) -> Bool {
    guard json.tree.base > 0 else {
      own[code, default: 0] += 1
      return own[code, default: 0] <= limit
    }
    let place = Place(file: json.tree.source.name, offset: json.localRange.lowerBound)
    return inside[code, default: []].insert(place).inserted
      && inside[code, default: []].count <= limit
  }
}
