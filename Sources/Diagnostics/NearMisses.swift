/// The candidates a misspelled name may have meant, nearest first.
///
/// A candidate that differs only in case comes first. Others are kept when their Damerau-Levenshtein
/// distance (insertions, deletions, replacements and exchanges of neighbours, letter case apart) is
/// at most a third of the longer name's length. Those at one distance stay in the order given.
///
/// - Returns: at most three names.
public func nearMisses(to name: String, among candidates: some Sequence<String>) -> [String] {
  let folded = Array(name.lowercased().unicodeScalars)
  // Nobody misspells a name that long, and a hostile one would take quadratic time.
  guard !folded.isEmpty, folded.count <= 128 else { return [] }
  var found: [(distance: Int, order: Int, candidate: String)] = []
  for (order, candidate) in candidates.enumerated() where candidate != name {
    let other = Array(candidate.lowercased().unicodeScalars)
    let limit = max(folded.count, other.count) / 3
    guard abs(folded.count - other.count) <= limit else { continue }
    let distance = damerauLevenshtein(folded, other)
    if distance <= limit { found.append((distance, order, candidate)) }
  }
  found.sort { ($0.distance, $0.order) < ($1.distance, $1.order) }
  var unique: [String] = []
  for (_, _, candidate) in found where !unique.contains(candidate) { unique.append(candidate) }
  return Array(unique.prefix(3))
}

/// The one candidate that a misspelled name can only have meant; `nil` where there is none, or where
/// there are several. One that differs in case alone outweighs those that differ in letters.
public func onlyNearMiss(to name: String, among candidates: some Sequence<String>) -> String? {
  let near = nearMisses(to: name, among: candidates)
  if near.count == 1 { return near[0] }
  let sameLetters = near.filter { $0.lowercased() == name.lowercased() }
  return sameLetters.count == 1 ? sameLetters[0] : nil
}

/// "did you mean 'gain'?", or `nil` when nothing is near.
public func didYouMean(_ name: String, among candidates: some Sequence<String>) -> String? {
  let near = nearMisses(to: name, among: candidates).map(quoted)
  switch near.count {
  case 0: return nil
  case 1: return "did you mean \(near[0])?"
  default: return "did you mean \(near.dropLast().joined(separator: ", ")) or \(near.last ?? "")?"
  }
}

/// A name as messages show it: in single quotes, control characters escaped, and cut when it is too
/// long to be read.
public func quoted(_ name: String) -> String {
  var text = "'"
  for (index, scalar) in name.unicodeScalars.enumerated() {
    if index == 80 {
      text += "..."
      break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse:
      text += scalar.escaped(asASCII: true)
    default: text.unicodeScalars.append(scalar)
    }
  }
  return text + "'"
}

/// The optimal string alignment distance: no part is edited twice.
private func damerauLevenshtein(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
  guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for row in 1...left.count {
    var current = [row]
    current.reserveCapacity(right.count + 1)
    for column in 1...right.count {
      let same = left[row - 1] == right[column - 1]
      var best = min(
        last[column] + 1, current[column - 1] + 1, last[column - 1] + (same ? 0 : 1))
      if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1]
      {
        best = min(best, beforeLast[column - 2] + 1)
      }
      current.append(best)
    }
    beforeLast = last
    last = current
  }
  return last[right.count]
}
