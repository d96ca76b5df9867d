import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import PatchSyntax
import RenderCore
import RenderTaps

/// One difference between two patches, and how it is heard when a playing patch changes from one to
/// the other.
public struct PatchChange: Hashable, Sendable {
  /// How a change is heard.
  public enum Heard: String, Hashable, Sendable, CaseIterable {
    /// Not at all.
    case nothing
    /// A parameter glides to its new value.
    case ramp
    /// The unit applies it while it renders, smoothed where the unit smooths it.
    case live
    /// The new sound fades in while the old one fades out.
    case crossfade
    /// A crossfade to another form of the same sound, at the same position.
    case continuation
    /// A crossfade to a sound that begins.
    case beginning
    /// A new unit is initialized beside the one that plays, and the sound crossfades to it.
    case reinitialize
    /// The patch fades out and starts again, with a gap between.
    case restart

    /// The words for it in listings.
    public var words: String {
      switch self {
      case .nothing: "nothing is heard"
      case .ramp: "ramp"
      case .live: "at once"
      case .crossfade: "crossfade"
      case .continuation: "crossfade, goes on"
      case .beginning: "crossfade, begins again"
      case .reinitialize: "re-initialize, then crossfade"
      case .restart: "restart: a gap"
      }
    }
  }

  /// The JSON Pointer of what differs; empty for the whole patch.
  public var pointer: String
  /// What happens, as a sentence without a full stop: `volume goes from 0.8 to 0.5`.
  public var text: String
  public var heard: Heard

  public init(_ pointer: String, _ text: String, _ heard: Heard) {
    self.pointer = pointer
    self.text = text
    self.heard = heard
  }
}

/// The changes that turn the graph of one patch into that of another: the one comparison of two
/// patches, which everything reads that makes, limits or reports a change.
///
/// Compares what the patches mean, not their texts: nodes by name, units by their configuration
/// once initialized, callbacks and taps by their settings. Of a patch that was made from the other
/// one, only the parts of its `origin` are compared.
struct GraphDifference {
  /// A setting of a unit or a callback that continues.
  enum Setting: Sendable {
    case property(node: String, PropertyPlace, PropertyValue)
    case parameter(node: String, ParameterPlace, Float)
    /// A live setting of a callback: the one that is `behind` pulls upstream of the callback that
    /// feeds the input.
    case live(input: PatchLayout.BusName, behind: Int, key: String, Double)
  }

  private(set) var changes: [PatchChange] = []
  /// Nodes to add: new ones, and the replacements of nodes in `leaving`.
  private(set) var entering: [String] = []
  /// Nodes to remove, including those that are replaced.
  private(set) var leaving: [String] = []
  private(set) var settings: [Setting] = []
  /// Settings that differ in units to add: in new ones, all.
  private(set) var initialSettings: [Setting] = []
  /// Inputs whose feed is removed or replaced.
  private(set) var freed: [PatchLayout.BusName] = []
  /// Inputs that get a feed.
  private(set) var fed: [PatchLayout.BusName] = []
  /// The origins of the callbacks at each input in `fed`, from the callback that feeds it upstream.
  private(set) var origins: [PatchLayout.BusName: [FeedDifference.Origin]] = [:]
  /// Whether the ramps or the end differ, or a node with ramps is replaced.
  private(set) var changesTimeline = false
  /// Whether latency compensation is turned on or off.
  private(set) var changesCompensation = false
  private(set) var tapsLeaving: [String] = []
  private(set) var tapsEntering: [String] = []
  /// Taps that move to another bus, or to a node that is replaced.
  private(set) var tapsMoving: [String] = []

  let old: BuiltPatch
  let new: BuiltPatch
  /// The names of callbacks that begin again.
  private let triggered: Set<String>
  /// The parts that may differ; `nil`, for all, where the new patch was not made from the old one.
  let origin: PatchOrigin?

  /// Whether there is nothing to do.
  var isEmpty: Bool {
    changes.isEmpty && fed.isEmpty && freed.isEmpty && settings.isEmpty && !changesTimeline
  }

  /// The changes that need a restart; empty where the patch can continue.
  var restarts: [PatchChange] { changes.filter { $0.heard == .restart } }

  /// - Parameters:
  ///   - old: A patch without errors.
  ///   - new: Another one, for the same device.
  ///   - running: The configuration of each unit that plays; `nil` where none does.
  ///   - triggered: The names of callbacks that begin again, even if nothing differs.
  init(
    from old: BuiltPatch, to new: BuiltPatch, triggered: Set<String> = [],
    running: ((String) -> UnitConfiguration?)? = nil
  ) {
    self.old = old
    self.new = new
    self.triggered = triggered
    origin = new.origin.flatMap { $0.graph === old.graph ? $0 : nil }
    if old.layout.request != new.layout.request {
      addChange(
        JSONPointer(["session"]), "the patch asks for another device, or for it in another way",
        .restart)
    }
    comparePolicies()
    compareLimits()
    compareCompensation()
    compareNodes(running)
    compareFeeds()
    compareTaps()
    compareTimelines()
  }

  private mutating func comparePolicies() {
    for (key, text) in new.layout.policy.differences(from: old.layout.policy) {
      addChange(JSONPointer(["session", key]), text, .nothing)
    }
  }

  private mutating func compareLimits() {
    let (before, after) = (old.layout.limits, new.layout.limits)
    if before.outputPeak != after.outputPeak {
      let was = before.outputPeak.map { ", and was limited to \(OutputLimits.text(ofPeak: $0))" }
      addChange(
        JSONPointer(["limits", "outputPeak"]),
        after.outputPeak.map {
          "the output is limited to \(OutputLimits.text(ofPeak: $0))"
            + (was ?? ", and was not limited")
        } ?? "the output is not limited any more" + (was ?? ""), .ramp)
    }
    if before.requestedGain != after.requestedGain {
      addChange(
        JSONPointer(["limits", "requestedGain"]),
        "others may set gains of up to \(OutputLimits.decibelText(after.requestedGain)) dB",
        .nothing)
    }
  }

  private mutating func compareCompensation() {
    let (before, after) = (old.graph?.compensatesLatency, new.graph?.compensatesLatency)
    guard let before, let after, before != after else { return }
    changesCompensation = true
    let text = "paths that meet are \(after ? "made" : "no longer made") equally late"
    addChange(JSONPointer(["compensateLatency"]), text, .crossfade)
  }

  private static func configuration(_ patch: BuiltPatch, _ name: String) -> UnitConfiguration? {
    patch.layout.nodes[name].flatMap { patch.layout.configurations[$0] }
      ?? patch.unit(name)?.configuration()
  }

  private static func pointer(_ name: String) -> JSONPointer { JSONPointer(["nodes", name]) }

  private mutating func addChange(
    _ pointer: JSONPointer, _ text: String, _ heard: PatchChange.Heard
  ) {
    changes.append(PatchChange(pointer.description, text, heard))
  }

  // MARK: Nodes

  private mutating func compareNodes(_ running: ((String) -> UnitConfiguration?)?) {
    let removed =
      origin?.nodes.removed ?? old.layout.nodeNames.filter { new.layout.nodes[$0] == nil }
    for name in removed {
      let isOutputUnit = old.unit(name)?.description.isOutput == true
      addChange(Self.pointer(name), "\(quoted(name)) goes", isOutputUnit ? .restart : .crossfade)
      leaving.append(name)
    }
    for name in nodesInQuestion() {
      guard let unit = new.unit(name) else { continue }
      guard let present = old.unit(name) else {
        addChange(
          Self.pointer(name), "\(quoted(name)), \(withArticle(unit.description.name)), comes",
          unit.description.isOutput ? .restart : .crossfade)
        enter(name, unit)
        continue
      }
      guard present.description.component == unit.description.component else {
        addChange(
          Self.pointer(name),
          "\(quoted(name)) is \(withArticle(unit.description.name)) and no \(present.description.name)",
          unit.description.isOutput ? .restart : .reinitialize)
        leaving.append(name)
        enter(name, unit)
        continue
      }
      let after = Self.configuration(new, name)
      let before = running.map { $0(name) } ?? Self.configuration(old, name)
      compare(name, present, unit, before, after)
    }
  }

  /// The nodes that are new, or may have other settings or formats.
  private func nodesInQuestion() -> [String] {
    guard let origin else { return new.layout.nodeNames }
    guard origin.changesFormats else { return origin.nodes.changed }
    let written = origin.nodes.present
    return new.layout.nodeNames.filter { name in
      guard let id = old.layout.nodes[name], !written.contains(name) else { return true }
      let (before, after) = (old.layout.configurations[id], new.layout.configurations[id])
      return before?.inputs != after?.inputs || before?.outputs != after?.outputs
    }
  }

  private mutating func enter(_ name: String, _ unit: UnitInstance) {
    entering.append(name)
    let settings = unit.settings
    initialSettings +=
      settings.properties.map { .property(node: name, $0, $1) }
      + settings.parameters.map { .parameter(node: name, $0, $1) }
  }

  private mutating func compare(
    _ name: String, _ present: UnitInstance, _ unit: UnitInstance, _ before: UnitConfiguration?,
    _ after: UnitConfiguration?
  ) {
    var reasons: [(JSONPointer, String)] = []
    if let before, let after { reasons += Self.reinitializationReasons(name, unit, before, after) }
    let (old, new) = (present.settings, unit.settings)
    var later: [(change: PatchChange, setting: Setting)] = []
    let places = Set(old.properties.keys).union(new.properties.keys)
      .filter { old.properties[$0] != new.properties[$0] }.sorted(by: Self.isBefore)
    for place in places {
      guard let info = unit.info(place.id), info.access != .readOnly else { continue }
      let pointer = Self.pointer(name, place.scope, place.element, ["properties", info.key])
      let value = new.properties[place] ?? Self.defaultValue(info, place)
      let text =
        "\(quoted(info.key)) of \(quoted(name)) "
        + Self.changeText(info, old.properties[place] ?? Self.defaultValue(info, place), value)
      guard info.access == .readWrite, let value else {
        reasons.append((pointer, text))
        continue
      }
      later.append(
        (
          PatchChange(pointer.description, text, .live),
          .property(node: name, place, value)
        ))
    }
    let parameters = Set(old.parameters.keys).union(new.parameters.keys)
      .filter { old.parameters[$0] != new.parameters[$0] && new.parameters[$0] != nil }
      .sorted {
        ($0.scope.rawValue, $0.element, $0.id) < ($1.scope.rawValue, $1.element, $1.id)
      }
    for place in parameters {
      guard let info = unit.parameterInfo(place.id, place.scope), let value = new.parameters[place]
      else { continue }
      let pointer = Self.pointer(name, place.scope, place.element, info.path)
      let from = old.parameters[place].map { "from \(plain($0)) " } ?? ""
      later.append(
        (
          PatchChange(
            pointer.description,
            "\(quoted(info.key)) of \(quoted(name)) goes \(from)to \(plain(value))",
            info.canRamp ? .ramp : .live),
          .parameter(node: name, place, value)
        ))
    }
    guard reasons.isEmpty else {
      let heard: PatchChange.Heard = unit.description.isOutput ? .restart : .reinitialize
      for (pointer, text) in reasons { addChange(pointer, text, heard) }
      changes += later.map {
        PatchChange($0.change.pointer, $0.change.text, heard)
      }
      leaving.append(name)
      entering.append(name)
      initialSettings += later.map(\.setting)
      return
    }
    changes += later.map(\.change)
    settings += later.map(\.setting)
  }

  /// The differences for which the unit must be initialized again, each with its place.
  private static func reinitializationReasons(
    _ name: String, _ unit: UnitInstance, _ before: UnitConfiguration, _ after: UnitConfiguration
  ) -> [(JSONPointer, String)] {
    var reasons: [(JSONPointer, String)] = []
    if before.maximumFramesPerSlice != after.maximumFramesPerSlice {
      reasons.append(
        (
          pointer(name, .global, 0, ["properties", "maximumFramesPerSlice"]),
          "\(quoted(name)) takes \(after.maximumFramesPerSlice) frames at once and not "
            + "\(before.maximumFramesPerSlice)"
        ))
    }
    for (scope, was, count) in [
      ("input", before.inputs.count, after.inputs.count),
      ("output", before.outputs.count, after.outputs.count),
    ] where was != count {
      reasons.append(
        (
          JSONPointer(["nodes", name, "\(scope)Count"]),
          "\(quoted(name)) has \(count) \(scope)s and not \(was)"
        ))
    }
    for (scope, old, new) in [
      ("inputs", before.inputs, after.inputs), ("outputs", before.outputs, after.outputs),
    ] {
      for (bus, element) in new.enumerated() where element.isUsed && old.indices.contains(bus) {
        // The device sets the formats of its own sides.
        guard element.origin != .hardware, element.format != old[bus].format else { continue }
        reasons.append(
          (
            JSONPointer(["nodes", name, scope, String(bus)]),
            "\(scope)/\(bus) of \(quoted(name)) carries \(element.format) and not "
              + "\(old[bus].format)"
          ))
      }
    }
    return reasons
  }

  /// The value of a property that is not set; `nil` where it has no default.
  private static func defaultValue(_ info: PropertyInfo, _ place: PropertyPlace) -> PropertyValue? {
    if info.kind == .text { return .string("") }
    return info.scopeDefaults[place.scope] ?? info.defaultValue
  }

  /// What becomes of a property, in words.
  private static func changeText(
    _ info: PropertyInfo, _ old: PropertyValue?, _ new: PropertyValue?
  ) -> String {
    guard let new else { return "is not set any more" }
    return "becomes \(info.text(of: new))" + (old.map { ", and was \(info.text(of: $0))" } ?? "")
  }

  private static func isBefore(_ one: PropertyPlace, _ other: PropertyPlace) -> Bool {
    (one.scope.rawValue, one.element, one.id.rawValue)
      < (other.scope.rawValue, other.element, other.id.rawValue)
  }

  /// The place of a setting in a patch.
  static func pointer(
    _ name: String, _ scope: Scope, _ element: Int, _ path: [String]
  ) -> JSONPointer {
    let place: [String] =
      switch scope {
      case .global: []
      case .input: ["inputs", String(element)]
      case .output: ["outputs", String(element)]
      }
    return JSONPointer(["nodes", name] + place + path)
  }

  // MARK: Feeds

  private mutating func compareFeeds() {
    let (gone, come) = (Set(leaving), Set(entering))
    let feeds = FeedDifference(
      from: old.layout, to: new.layout,
      // A replaced node feeds its inputs anew, so all inputs may differ.
      at: gone.isDisjoint(with: come) ? origin?.inputs : nil, leaving: gone, entering: come,
      triggered: triggered)
    (freed, fed, origins) = (feeds.freed, feeds.fed, feeds.origins)
    settings += feeds.settings
    changes += feeds.changes
  }

  // MARK: The timeline

  private mutating func compareTimelines() {
    let (before, after) = (old.ramps, new.ramps)
    let isSame = before.elementsEqual(after) { one, other in
      var ramp = one.ramp
      ramp.node = other.ramp.node
      return one.node == other.node && ramp == other.ramp
    }
    let ends = old.graph?.stopTime != new.graph?.stopTime
    if !isSame || ends {
      addChange(JSONPointer(["timeline"]), "the timeline goes on as another one", .nothing)
    }
    let moved = Set(leaving)
    changesTimeline = !isSame || ends || after.contains { moved.contains($0.node) }
  }

  // MARK: Taps

  private mutating func compareTaps() {
    let made = Set(leaving).union(entering)
    for (name, tap) in old.layout.taps.sorted(by: { $0.key < $1.key }) {
      let next = new.layout.taps[name]
      guard let next, next.isSame(as: tap) else {
        tapsLeaving.append(name)
        if next == nil { addChange(JSONPointer(["taps", name]), "\(quoted(name)) ends", .nothing) }
        continue
      }
      guard next.at != tap.at || made.contains(tap.at.node) else {
        addTapChange(name, tap, next)
        continue
      }
      tapsMoving.append(name)
      addTapChange(name, tap, next, isMoved: true)
    }
    for (name, tap) in new.layout.taps.sorted(by: { $0.key < $1.key }) {
      let before = old.layout.taps[name]
      if let before, before.isSame(as: tap) { continue }
      tapsEntering.append(name)
      addChange(JSONPointer(["taps", name]), Self.beginning(name, tap, before), .nothing)
    }
  }

  /// Adds the change of a tap that continues: in another format, or at another bus.
  private mutating func addTapChange(
    _ name: String, _ before: PatchLayout.Tap, _ after: PatchLayout.Tap, isMoved: Bool = false
  ) {
    let formats = (Self.format(old, before.at), Self.format(new, after.at))
    if let from = formats.0, let to = formats.1, from != to {
      let place = after.nextPath.map { " in \(quoted($0))" } ?? " anew"
      addChange(
        JSONPointer(["taps", name]),
        "\(quoted(name)) goes on\(place): its bus carries \(to) and not \(from)", .nothing)
    } else if isMoved {
      let place = after.path.map { " in \(quoted($0))" } ?? ""
      addChange(JSONPointer(["taps", name]), "\(quoted(name)) goes on\(place)", .nothing)
    }
  }

  /// How a tap that is new or has other settings begins, in words.
  private static func beginning(
    _ name: String, _ tap: PatchLayout.Tap, _ before: PatchLayout.Tap?
  ) -> String {
    guard let before else { return "\(quoted(name)) begins" }
    guard let path = tap.path, let old = before.path else { return "\(quoted(name)) begins anew" }
    // A run never writes over its own take.
    guard path == old else { return "\(quoted(name)) begins in \(quoted(path))" }
    return "\(quoted(name)) goes on in \(quoted(tap.nextPath ?? path))"
  }

  private static func format(_ patch: BuiltPatch, _ at: PatchLayout.BusName) -> StreamFormat? {
    let outputs = configuration(patch, at.node)?.outputs
    return outputs.flatMap { $0.indices.contains(at.bus) ? $0[at.bus].format : nil }
  }
}
