import AudioGraphs
import AudioTypes
import Diagnostics
import PatchSyntax
import TestSupport
import Testing

@testable import PatchGraph

/// A patch revised from its predecessor equals one that is built as a whole, whatever the change
/// is.
@Suite struct PatchRevisionTests {
  private static func read(_ document: JSONText) -> PatchReader.Result {
    PatchReader.read(SourceText(name: "patch.json", text: document.document))
  }

  private static func build(
    _ document: JSONText, _ device: PatchDevice
  ) -> BuiltPatch {
    PatchBuilder.build(read(document), directory: PatchProperties.folder, device: device)
  }

  private static func revise(_ document: JSONText, from old: BuiltPatch) -> BuiltPatch? {
    PatchRevision.build(
      read(document), from: old, in: PatchSurroundings(directory: PatchProperties.folder))
  }

  /// The difference of a revised patch and one built as a whole; `nil` for none.
  private static func difference(
    _ revised: BuiltPatch, _ whole: BuiltPatch, from old: BuiltPatch
  ) -> String? {
    if let error = whole.diagnostics.first(where: { $0.severity == .error }) {
      return "nobody minds: \(error.code) \(error.message)"
    }
    for (one, other) in [(revised, whole), (whole, revised)] {
      if let change = GraphDifference(from: one, to: other).changes.first {
        return "the revised patch is another: \(change.text)"
      }
    }
    guard revised.layout.nodeNames == whole.layout.nodeNames else { return "nodes are missing" }
    guard revised.layout.request == whole.layout.request else {
      return "it asks for another device"
    }
    let (found, expected) = (
      GraphDifference(from: old, to: revised), GraphDifference(from: old, to: whole)
    )
    guard found.changes.map(\.text) == expected.changes.map(\.text) else {
      return "it changes \(found.changes.map(\.text)) and not \(expected.changes.map(\.text))"
    }
    guard found.freed == expected.freed, found.fed == expected.fed,
      found.origins == expected.origins
    else { return "it feeds other inputs" }
    let gains = [found, expected].map { difference in
      RequestedGains.diagnostics(of: difference, above: -200).map(\.message.text).sorted()
    }
    guard gains[0] == gains[1] else { return "it sets the gains \(gains[0]) and not \(gains[1])" }
    return PatchProperties.disagreement(revised)
  }

  /// Whether a path leads to a parameter of a unit. Constants of expressions are in members of the
  /// same name.
  private static func isParameter(_ path: [String]) -> Bool {
    path.count > 2 && path[0] == "nodes" && path[path.count - 2] == "parameters"
  }

  /// A change after which the patch may be valid: a similar value, a removed part, a moved part.
  private static func edited(_ document: JSONText, _ random: inout SplitMix64) -> JSONText? {
    var edited = document
    let paths = document.paths
    guard let path = paths.randomElement(using: &random) else { return nil }
    switch Int.random(in: 0..<11, using: &random) {
    case 0, 1: edited[path] = nil
    case 2:
      // The value of the same key elsewhere may be valid here too.
      let others = paths.filter { $0.last == path.last && $0 != path && $0.count == path.count }
      guard let other = others.randomElement(using: &random) else { return nil }
      edited[path] = document[other]
    case 3, 4:
      let parameters = paths.filter(isParameter)
      guard let place = parameters.randomElement(using: &random) else { return nil }
      edited[place] = .number([0, 0.25, 1].randomElement(using: &random) ?? 0)
    case 8:
      // A live setting of a callback.
      let callbacks = document["callbacks"]?.members ?? []
      guard let callback = callbacks.randomElement(using: &random),
        case .string(let kind)? = callback.value["kind"],
        let (key, range) = PatchGenerator.ramps[kind]?.randomElement(using: &random)
      else { return nil }
      let path = ["callbacks", callback.name] + key.split(separator: "/").map(String.init)
      edited[path] = .number(
        (Double.random(in: range, using: &random) * 64).rounded(.up) / 64)
    case 9:
      // A level of a matrix.
      let levels = paths.filter { $0.count == 6 && $0[3] == "matrixLevels" }
      guard let place = levels.randomElement(using: &random) else { return nil }
      edited[place] = .number([0, 0.25, 1].randomElement(using: &random) ?? 0)
    case 10:
      // The preset of another node, which may be of the same unit, or none.
      let nodes = document["nodes"]?.members ?? []
      guard let name = nodes.randomElement(using: &random)?.name else { return nil }
      edited["nodes", name, "preset"] =
        nodes.compactMap { $0.value["preset"] }.randomElement(using: &random)
    case 5:
      let count = document["connections"]?.count ?? 0
      guard count > 0 else { return nil }
      edited["connections", "\(Int.random(in: 0..<count, using: &random))"] = nil
    case 6:
      guard let names = document["nodes"]?.members.map(\.name),
        let name = names.randomElement(using: &random)
      else { return nil }
      edited["nodes", "another"] = document["nodes", name]
    default:
      guard case .object(let members)? = document["nodes"] else { return nil }
      edited["nodes"] = .object(members.shuffled(using: &random))
    }
    return edited
  }

  private static func record(_ what: String, _ before: JSONText, _ after: JSONText) {
    Issue.record("\(what)\n\nbefore:\n\(before.document)\nafter:\n\(after.document)")
  }

  @Test(arguments: 0..<4)
  func `a patch that is revised is the one that is built as a whole, change after change`(
    part: Int
  ) {
    var (revisions, wholes) = (0, 0)
    for (index, patch) in PatchPropertyTests.right.enumerated() where index % 4 == part {
      var random = SplitMix64(seed: UInt64(index) | 1 << 42)
      var (document, present) = (patch.document, PatchProperties.build(patch))
      guard let grant = present.graph?.grant else { continue }
      for _ in 0..<12 {
        guard let next = Self.edited(document, &random), next != document else { continue }
        let whole = Self.build(next, .granted(grant))
        let revised = Self.revise(next, from: present)
        if let revised, let what = Self.difference(revised, whole, from: present) {
          return Self.record(what, document, next)
        }
        let isPlain = document["timeline"] == nil && next["timeline"] == nil
        revisions += revised == nil ? 0 : 1
        guard !whole.hasErrors else { continue }
        // A patch with a timeline is always built as a whole.
        wholes += isPlain ? 1 : 0
        (document, present) = (next, Self.revise(next, from: present) ?? whole)
      }
    }
    // Enough patches must really be revised, or the test would check nothing.
    #expect(revisions > wholes / 3 && revisions > 40, "\(revisions) of \(wholes)")
  }

  @Test(arguments: PatchMutation.all)
  func `a patch with a mistake is never revised`(mutation: PatchMutation) {
    var made = 0
    for (index, patch) in PatchPropertyTests.right.enumerated()
    where made < 3 * PatchProperties.effort {
      let before = PatchProperties.build(patch)
      guard !before.hasErrors, let grant = before.graph?.grant,
        let wrong = mutation.applied(to: patch.document, seed: UInt64(index))?.document,
        Self.build(wrong, .granted(grant)).hasErrors
      else { continue }
      made += 1
      if Self.revise(wrong, from: before) != nil {
        return Self.record("revised, although \(mutation.name)", patch.document, wrong)
      }
    }
  }

  @Test func `a revision that has lost a change is found out`() throws {
    let text: (String) -> JSONText = { volume in
      [
        "schemaVersion": 1,
        "streamFormat": ["sample": "float32", "channels": 2, "sampleRate": 44_100],
        "callbacks": ["tone": ["kind": "tone"]],
        "nodes": [
          "mixer": [
            "component": "MultichannelMixer",
            "properties": ["maximumFramesPerSlice": 4096],
            "inputs": ["0": ["parameters": ["volume": .number(Double(volume) ?? 0)]]],
          ],
          "io": ["component": "remoteIO"],
        ],
        "connections": [["from": "tone", "to": "mixer"], ["from": "mixer", "to": "io"]],
      ]
    }
    let old = Self.build(text("1"), .assumed(HardwareAssumption()))
    let new = Self.build(text("0.5"), .assumed(HardwareAssumption()))
    #expect(
      Self.revise(text("0.5"), from: old).map { Self.difference($0, new, from: old) } == .some(nil))
    let stale = try #require(Self.revise(text("0.25"), from: old))
    #expect(Self.difference(stale, new, from: old)?.contains("is another") == true)
  }

  @Test(arguments: ["tone:x", "tone:1"])
  func `a connection that names a bus of a callback is not revised`(source: String) {
    let text: (String) -> JSONText = { source in
      [
        "schemaVersion": 1,
        "streamFormat": ["sample": "float32", "channels": 2, "sampleRate": 44_100],
        "callbacks": ["tone": ["kind": "tone"]], "nodes": ["io": ["component": "remoteIO"]],
        "connections": [["from": .string(source), "to": "io"]],
      ]
    }
    let old = Self.build(text("tone"), .assumed(HardwareAssumption()))
    #expect(!old.hasErrors)
    #expect(Self.build(text(source), .assumed(HardwareAssumption())).hasErrors)
    #expect(Self.revise(text(source), from: old) == nil)
  }

  @Test func `a patch of which only a volume differs keeps the units of all other nodes`() throws {
    let patch = try #require(
      PatchPropertyTests.right.first {
        $0.document.paths.contains(where: Self.isParameter)
          && $0.document["nodes"]?.count ?? 0 > 2 && $0.document["timeline"] == nil
          && !PatchProperties.build($0).hasErrors
      })
    let old = PatchProperties.build(patch)
    let place = try #require(
      patch.document.paths.first(where: Self.isParameter))
    var document = patch.document
    document[place] = .number(0.75)
    guard let new = Self.revise(document, from: old) else { return }
    let kept = try new.layout.nodes.count { name, id in
      let before = try #require(old.layout.nodes[name])
      return try new.graph?.unit(id) === old.graph?.unit(before)
    }
    #expect(kept == new.layout.nodes.count - 1)
  }
}
