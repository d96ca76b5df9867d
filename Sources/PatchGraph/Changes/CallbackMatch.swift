import AudioTypes
import Diagnostics
import PatchSyntax
import RenderCallbacks
import RenderCore

/// Finds the callbacks of a patch that continue in another: by name, and by settings where a
/// callback was renamed.
struct CallbackMatch {
  private typealias BusName = PatchLayout.BusName

  private struct Place: Hashable {
    var input: PatchLayout.BusName
    var behind: Int
  }

  private let old: PatchLayout
  private let new: PatchLayout
  /// Inputs of the old patch whose callbacks are free to feed something else.
  private let freed: [PatchLayout.BusName]
  /// The names of callbacks that begin again.
  private let triggered: Set<String>
  /// The old callbacks that have been matched.
  private var claimed: Set<Place> = []
  /// The names of all callbacks that feed something in the new patch.
  private lazy var names: Set<String> = {
    var names: Set<String> = []
    for case .chain(let chain) in new.feeds.values { names.formUnion(chain.links.map(\.name)) }
    return names
  }()
  private var reported: Set<String> = []
  /// The differences between callbacks of the same name.
  private(set) var changes: [PatchChange] = []

  init(
    old: PatchLayout, new: PatchLayout, freed: [PatchLayout.BusName], triggered: Set<String> = []
  ) {
    self.triggered = triggered
    self.old = old
    self.new = new
    self.freed = freed
  }

  private func links(_ input: BusName, in layout: PatchLayout) -> [PatchLayout.Link] {
    if case .chain(let chain)? = layout.feeds[input] { chain.links } else { [] }
  }

  // MARK: Where callbacks come from

  /// The origins of an input's callbacks among those that fed the same input before.
  mutating func ownOrigins(of input: PatchLayout.BusName) -> [GraphDifference.Origin] {
    guard freed.contains(input) else { return [] }
    let before = links(input, in: old)
    return links(input, in: new).map { link in
      for (behind, was) in before.enumerated() where was.name == link.name {
        if let found = origin(of: link, was, Place(input: input, behind: behind)) { return found }
      }
      // It may have been renamed.
      for (behind, was) in before.enumerated()
      where was.differsOnlyInLiveSettings(from: link) && !names.contains(was.name) {
        if let found = origin(of: link, was, Place(input: input, behind: behind)) { return found }
      }
      return .fresh
    }
  }

  /// Completes `known` with origins among the callbacks of other freed inputs.
  mutating func origins(
    of input: PatchLayout.BusName, _ known: [GraphDifference.Origin]
  ) -> [GraphDifference.Origin] {
    links(input, in: new).enumerated().map { index, link in
      if known.indices.contains(index) {
        if case .fresh = known[index] {} else { return known[index] }
      }
      for other in freed where other != input {
        for (behind, was) in links(other, in: old).enumerated() where was.name == link.name {
          if let found = origin(of: link, was, Place(input: other, behind: behind)) { return found }
        }
      }
      return .fresh
    }
  }

  private mutating func origin(
    of link: PatchLayout.Link, _ was: PatchLayout.Link, _ place: Place
  ) -> GraphDifference.Origin? {
    guard was.kind == link.kind, !claimed.contains(place) else { return nil }
    if was.differsOnlyInLiveSettings(from: link), triggered.contains(link.name) {
      claimed.insert(place)
      let pointer = JSONPointer(["callbacks", link.name]).description
      if reported.insert(pointer).inserted {
        changes.append(
          PatchChange(
            pointer, "\(quoted(link.name)) begins again at \(Self.startText(link))", .beginning))
      }
      return .beginning(place.input, behind: place.behind)
    }
    if was.differsOnlyInLiveSettings(from: link) {
      claimed.insert(place)
      let values = changedLiveSettings(was, link)
      return .kept(
        place.input, behind: place.behind,
        Dictionary(values.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 }))
    }
    let continues = Self.continues(was, link)
    reportChange(was, link, continues)
    guard continues else { return .fresh }
    claimed.insert(place)
    return .continuing(place.input, behind: place.behind)
  }

  /// Whether a callback with other settings continues at the position of the old one.
  private static func continues(_ was: PatchLayout.Link, _ link: PatchLayout.Link) -> Bool {
    guard let deciding = CallbackCatalog.description(of: link.kind)?.placeSettings else {
      return false
    }
    return deciding.allSatisfy { was.fixed[$0] == link.fixed[$0] }
  }

  // MARK: Changes in words

  /// The live settings that differ. Each is reported once.
  mutating func changedLiveSettings(
    _ was: PatchLayout.Link, _ link: PatchLayout.Link
  ) -> [(key: String, value: Double)] {
    var turned: [(key: String, value: Double)] = []
    for (before, after) in zip(was.live, link.live) where before.value != after.value {
      turned.append((after.key, after.value))
      let pointer = JSONPointer(["callbacks", link.name] + after.path).description
      guard reported.insert(pointer).inserted else { continue }
      let name = "\(quoted(after.member ?? after.info.key)) of \(quoted(link.name))"
      if after.info.kind == .boolean {
        changes.append(
          PatchChange(
            pointer,
            "\(name) becomes \(after.value != 0) at its end: it goes on", .live))
      } else {
        changes.append(
          PatchChange(
            pointer,
            "\(name) goes from \(plain(Float(before.value))) to \(plain(Float(after.value))): "
              + "it goes on", .ramp))
      }
    }
    return turned
  }

  private mutating func reportChange(
    _ was: PatchLayout.Link, _ link: PatchLayout.Link, _ continues: Bool
  ) {
    let keys = Set(was.fixed.keys).union(link.fixed.keys)
      .filter { was.fixed[$0] != link.fixed[$0] }.sorted()
    let key = keys.first ?? link.live.map(\.info.key).first ?? "kind"
    let pointer = JSONPointer(["callbacks", link.name, key]).description
    guard reported.insert(pointer).inserted else { return }
    let what = (keys.isEmpty ? [key] : keys).map { quoted($0) }.joined(separator: ", ")
    let text = "\(what) of \(quoted(link.name)) \(keys.count > 1 ? "are others" : "is another")"
    if continues {
      changes.append(PatchChange(pointer, "\(text): it goes on", .continuation))
      return
    }
    switch link.kind {
    case "convolution", "noise", "native", "silence", "input":
      changes.append(PatchChange(pointer, text, .crossfade))
    default:
      changes.append(
        PatchChange(pointer, "\(text): it begins again at \(Self.startText(link))", .beginning))
    }
  }

  /// The position at which a callback begins, such as `0:00`.
  private static func startText(_ link: PatchLayout.Link) -> String {
    guard link.kind == "file", case .number(let start)? = link.fixed["start"] else { return "0:00" }
    let whole = Int(start)
    let seconds = whole % 60
    return "\(whole / 60):\(seconds < 10 ? "0" : "")\(seconds)"
  }

  /// The callbacks of an input that continue, in words: `: 'music' goes on`; empty for none.
  func continuation(at input: PatchLayout.BusName, _ origins: [GraphDifference.Origin]) -> String {
    let names = zip(links(input, in: new), origins).compactMap { link, origin -> String? in
      if case .fresh = origin { return nil }
      return quoted(link.name)
    }
    guard !names.isEmpty else { return "" }
    return ": \(names.joined(separator: ", ")) \(names.count == 1 ? "goes" : "go") on"
  }
}
