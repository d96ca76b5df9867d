import AudioTypes
import Diagnostics
import PatchSyntax
import RenderCallbacks
import RenderCore

/// The inputs that two patches feed differently, and where the callbacks that feed them in the new
/// patch come from.
///
/// A callback of the old patch is found in the new one by its name or, where it was renamed, by its
/// settings.
struct FeedDifference {
  typealias BusName = PatchLayout.BusName
  private typealias Link = PatchLayout.Link

  /// Where a callback of the new patch comes from.
  enum Origin: Hashable, Sendable {
    /// An old callback, with these live settings changed. In all cases the old callback is the one
    /// that is `behind` pulls upstream of the callback that feeds the input.
    case kept(BusName, behind: Int, [String: Double])
    /// A new callback that continues at the position of an old one.
    case continuing(BusName, behind: Int)
    /// An old callback that begins again.
    case beginning(BusName, behind: Int)
    /// A new callback that begins.
    case fresh
  }

  private struct Place: Hashable {
    var input: BusName
    var behind: Int
  }

  /// Inputs whose feed is removed or replaced.
  private(set) var freed: [BusName] = []
  /// Inputs that get a feed.
  private(set) var fed: [BusName] = []
  /// The origins of the callbacks at each input in `fed`, from the callback that feeds it upstream.
  private(set) var origins: [BusName: [Origin]] = [:]
  /// Live settings of callbacks at inputs whose feed stays.
  private(set) var settings: [GraphDifference.Setting] = []
  /// The differences of inputs, followed by those of callbacks.
  var changes: [PatchChange] { inputChanges + callbackChanges }

  private let old: PatchLayout
  private let new: PatchLayout
  /// The names of callbacks that begin again.
  private let triggered: Set<String>
  private var inputChanges: [PatchChange] = []
  /// The differences between callbacks of the same name.
  private var callbackChanges: [PatchChange] = []
  /// The pointers in `callbackChanges`.
  private var reported: Set<String> = []
  /// The old callbacks that have been matched.
  private var claimed: Set<Place> = []
  /// The names of all callbacks that feed something in the new patch.
  private lazy var names: Set<String> = {
    var names: Set<String> = []
    for chain in new.chains { names.formUnion(chain.links.map(\.name)) }
    return names
  }()

  /// - Parameters:
  ///   - inputs: The inputs whose feed may differ; `nil` for all.
  ///   - leaving: The nodes that the old patch loses, including those that are replaced.
  ///   - entering: The nodes that the new patch gets, including replacements.
  ///   - triggered: The names of callbacks that begin again, even if nothing differs.
  init(
    from old: PatchLayout, to new: PatchLayout, at inputs: Set<BusName>?, leaving: Set<String>,
    entering: Set<String>, triggered: Set<String>
  ) {
    self.old = old
    self.new = new
    self.triggered = triggered
    findFreed(inputs, leaving)
    findFed(inputs, entering)
    // Callbacks that stay at their input are matched first, and those that move get the rest.
    for input in fed { origins[input] = ownOrigins(of: input) }
    for input in fed {
      origins[input] = completedOrigins(of: input, origins[input] ?? [])
      describeFeed(of: input, entering)
    }
  }

  // MARK: Inputs

  private mutating func findFreed(_ inputs: Set<BusName>?, _ leaving: Set<String>) {
    for input in old.inputs(among: inputs) {
      guard let feed = old[feedOf: input] else { continue }
      let next = new[feedOf: input]
      let isGone =
        feed.source.map { leaving.contains($0.node) } == true || leaving.contains(input.node)
      if let next, next.differsOnlyInLiveSettings(from: feed), !isGone, !beginsAgain(next) {
        continue
      }
      freed.append(input)
      guard next == nil, !leaving.contains(input.node) else { continue }
      addChange(input, "\(input.text) is fed by nothing any more")
    }
  }

  private mutating func findFed(_ inputs: Set<BusName>?, _ entering: Set<String>) {
    for input in new.inputs(among: inputs) {
      guard let feed = new[feedOf: input] else { continue }
      let before = old[feedOf: input]
      let isSourceReplaced = feed.source.map { entering.contains($0.node) } == true
      guard before?.differsOnlyInLiveSettings(from: feed) == true, !isSourceReplaced,
        !entering.contains(input.node), !beginsAgain(feed)
      else {
        fed.append(input)
        continue
      }
      guard case .chain(let was)? = before, case .chain(let chain) = feed else { continue }
      for (behind, pair) in zip(was.links, chain.links).enumerated() {
        for (key, value) in changedLiveSettings(pair.0, pair.1) {
          settings.append(.live(input: input, behind: behind, key: key, value))
        }
      }
    }
  }

  /// Adds the change of an input that gets a feed, unless the input itself is new, or only settings
  /// of its callbacks differ, whose changes have been added.
  private mutating func describeFeed(of input: BusName, _ entering: Set<String>) {
    guard let feed = new[feedOf: input] else { return }
    let before = old[feedOf: input]
    let isSame = before?.differsOnlyInLiveSettings(from: feed) == true
    guard !isSame, !(entering.contains(input.node) && old.nodes[input.node] == nil) else { return }
    if case .chain(let was)? = before, case .chain(let chain) = feed,
      was.links.map(\.name) == chain.links.map(\.name), was.source == chain.source
    {
      return
    }
    let was = before.map { ", and was fed by \($0.text)" } ?? ""
    let end = continuation(at: input, origins[input] ?? [])
    addChange(input, "\(input.text) is fed by \(feed.text)\(was)\(end)")
  }

  private mutating func addChange(_ input: BusName, _ text: String) {
    let pointer = JSONPointer(["nodes", input.node, "inputs", String(input.bus)])
    inputChanges.append(PatchChange(pointer.description, text, .crossfade))
  }

  /// Whether a callback of the feed begins again.
  private func beginsAgain(_ feed: PatchLayout.Feed) -> Bool {
    guard !triggered.isEmpty, case .chain(let chain) = feed else { return false }
    return chain.links.contains { triggered.contains($0.name) }
  }

  private func links(_ input: BusName, in layout: PatchLayout) -> [Link] {
    if case .chain(let chain)? = layout[feedOf: input] { chain.links } else { [] }
  }

  // MARK: Where callbacks come from

  /// The origins of an input's callbacks among those that fed the same input before.
  private mutating func ownOrigins(of input: BusName) -> [Origin] {
    let before = freed.contains(input) ? links(input, in: old) : []
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
  private mutating func completedOrigins(of input: BusName, _ known: [Origin]) -> [Origin] {
    zip(links(input, in: new), known).map { link, origin in
      guard origin == .fresh else { return origin }
      for other in freed where other != input {
        for (behind, was) in links(other, in: old).enumerated() where was.name == link.name {
          let place = Place(input: other, behind: behind)
          if let found = self.origin(of: link, was, place) { return found }
        }
      }
      return .fresh
    }
  }

  private mutating func origin(of link: Link, _ was: Link, _ place: Place) -> Origin? {
    guard was.kind == link.kind, !claimed.contains(place) else { return nil }
    if was.differsOnlyInLiveSettings(from: link), triggered.contains(link.name) {
      claimed.insert(place)
      let pointer = JSONPointer(["callbacks", link.name]).description
      if reported.insert(pointer).inserted {
        callbackChanges.append(
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
  private static func continues(_ was: Link, _ link: Link) -> Bool {
    guard let deciding = CallbackCatalog.description(of: link.kind)?.placeSettings else {
      return false
    }
    return deciding.allSatisfy { was.fixed[$0] == link.fixed[$0] }
  }

  // MARK: Changes in words

  /// The live settings that differ. Each is reported once.
  private mutating func changedLiveSettings(
    _ was: Link, _ link: Link
  ) -> [(key: String, value: Double)] {
    var turned: [(key: String, value: Double)] = []
    for (before, after) in zip(was.live, link.live) where before.value != after.value {
      turned.append((after.key, after.value))
      let pointer = JSONPointer(["callbacks", link.name] + after.path).description
      guard reported.insert(pointer).inserted else { continue }
      let name = "\(quoted(after.member ?? after.info.key)) of \(quoted(link.name))"
      if after.info.kind == .boolean {
        callbackChanges.append(
          PatchChange(
            pointer,
            "\(name) becomes \(after.value != 0) at its end: it goes on", .live))
      } else {
        callbackChanges.append(
          PatchChange(
            pointer,
            "\(name) goes from \(plain(Float(before.value))) to \(plain(Float(after.value))): "
              + "it goes on", .ramp))
      }
    }
    return turned
  }

  private mutating func reportChange(
    _ was: Link, _ link: Link, _ continues: Bool
  ) {
    let keys = Set(was.fixed.keys).union(link.fixed.keys)
      .filter { was.fixed[$0] != link.fixed[$0] }.sorted()
    let key = keys.first ?? link.live.map(\.info.key).first ?? "kind"
    let pointer = JSONPointer(["callbacks", link.name, key]).description
    guard reported.insert(pointer).inserted else { return }
    let what = (keys.isEmpty ? [key] : keys).map { quoted($0) }.joined(separator: ", ")
    let text = "\(what) of \(quoted(link.name)) \(keys.count > 1 ? "are others" : "is another")"
    if continues {
      callbackChanges.append(PatchChange(pointer, "\(text): it goes on", .continuation))
      return
    }
    switch link.kind {
    case "convolution", "noise", "native", "silence", "input":
      callbackChanges.append(PatchChange(pointer, text, .crossfade))
    default:
      callbackChanges.append(
        PatchChange(pointer, "\(text): it begins again at \(Self.startText(link))", .beginning))
    }
  }

  /// The position at which a callback begins, such as `0:00`.
  private static func startText(_ link: Link) -> String {
    guard link.kind == "file", case .number(let start)? = link.fixed["start"] else { return "0:00" }
    let whole = Int(start)
    let seconds = whole % 60
    return "\(whole / 60):\(seconds < 10 ? "0" : "")\(seconds)"
  }

  /// The callbacks of an input that continue, in words: `: 'music' goes on`; empty for none.
  private func continuation(at input: BusName, _ origins: [Origin]) -> String {
    let names = zip(links(input, in: new), origins).filter { $1 != .fresh }
      .map { quoted($0.0.name) }
    guard !names.isEmpty else { return "" }
    return ": \(names.joined(separator: ", ")) \(names.count == 1 ? "goes" : "go") on"
  }
}
