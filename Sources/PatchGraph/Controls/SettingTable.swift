/// The places of settings of many nodes. A place is found in a time that does not depend on the number of
/// settings of its node, of which a mixer can have thousands.
struct SettingTable {
  /// The path from a node to a setting, the key last.
  typealias Place = [String]

  /// By node, and by the path to the object that has the setting, in the order in which they were added.
  private var keys: [String: [Place: [String]]] = [:]
  private var places: [String: Set<Place>] = [:]

  mutating func add(_ added: [Place], of node: String) {
    for place in added {
      guard let key = place.last else { continue }
      keys[node, default: [:]][Array(place.dropLast()), default: []].append(key)
      places[node, default: []].insert(place)
    }
  }

  /// The keys of the settings in an object of a node.
  func keys(at way: Place, of node: String) -> [String] { keys[node]?[way] ?? [] }

  func contains(_ place: Place, of node: String) -> Bool { places[node]?.contains(place) == true }
}
