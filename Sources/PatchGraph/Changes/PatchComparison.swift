import AudioGraphs
import AudioTypes
import Diagnostics
public import PatchSyntax
import RenderHost

/// The differences in meaning between two patches, and how each is heard when a playing patch
/// changes from one to the other. `patchrun diff` shows them, and a reload makes them.
public struct PatchComparison: Sendable {
  /// What changes, in the order of nodes, connections and taps; empty where both mean the same.
  public let changes: [PatchChange]

  /// Compares two patches, both on the device that the old one would be granted.
  ///
  /// - Parameters:
  ///   - old: A patch and its surroundings.
  ///   - new: The patch that it would become, and its surroundings.
  /// - Returns: `nil` where one of them has errors.
  public init?(
    from old: (reading: PatchReader.Result, surroundings: PatchSurroundings),
    to new: (reading: PatchReader.Result, surroundings: PatchSurroundings),
    assuming assumption: HardwareAssumption = HardwareAssumption()
  ) {
    let before = PatchBuilder.build(
      old.reading, in: old.surroundings, device: .assumed(assumption))
    guard !before.hasErrors, let graph = before.graph else { return nil }
    let after = PatchBuilder.build(
      new.reading, in: new.surroundings, device: .granted(graph.grant))
    guard !after.hasErrors else { return nil }
    // `GraphDifference` compares only ramps and the end. Here the whole timeline is compared, its
    // updates included.
    var changes = GraphDifference(from: before, to: after).changes
      .filter { $0.pointer != "/timeline" }
    if let one = old.reading.document, let other = new.reading.document {
      let rate = graph.grant.sampleRate
      let steps = TimelineSteps(other, sampleRate: rate)
      if let (number, time) = steps.firstDifference(from: TimelineSteps(one, sampleRate: rate)) {
        changes.append(
          PatchChange(
            "/timeline/\(number)",
            "the timeline is another one from \(plain(Float(time))) s on, heard when that comes",
            .nothing))
      }
    }
    if before.title != after.title {
      let text = after.title.map { "the title becomes \(quoted($0))" } ?? "the title goes"
      changes.append(PatchChange("/title", text, .nothing))
    }
    self.changes = changes
  }

  /// The strongest way in which a change is heard; `nothing` where nothing changes.
  public var heard: PatchChange.Heard {
    let order = PatchChange.Heard.allCases
    return changes.map(\.heard).max { one, other in
      (order.firstIndex(of: one) ?? 0) < (order.firstIndex(of: other) ?? 0)
    } ?? .nothing
  }

  /// One line for each change: how it is heard, what happens, and where. One line in all where both
  /// patches mean the same.
  public var text: String {
    if changes.isEmpty { return "nothing is heard: both patches mean the same\n" }
    return changes.map { change in
      let place = change.pointer.isEmpty ? "" : "  (\(printable(change.pointer)))"
      return "\(change.heard.words): \(printable(change.text))\(place)\n"
    }.joined()
  }

  /// The changes as an array of objects with `pointer`, `heard` and `text`.
  public var json: JSONText {
    .array(
      changes.map {
        [
          "pointer": .string($0.pointer), "heard": .string($0.heard.rawValue),
          "text": .string($0.text),
        ]
      })
  }
}
