import Diagnostics
import PatchSyntax

/// A document whose timeline has been played up to some time: what has happened by then is in the
/// document itself, and what is to come stays in the timeline.
///
/// Updates have been made; a parameter that a ramp has moved has the value it went to. A ramp that is on
/// its way stays.
enum TimelineFold {
  /// - Parameters:
  ///   - reading: A patch without errors.
  ///   - updates: Those of its timeline.
  ///   - seconds: What comes at this time has happened.
  ///   - sampleRate: What the session was granted.
  static func fold(
    _ reading: PatchReader.Result, _ updates: [PlannedUpdate], upTo seconds: Double,
    sampleRate: Double
  ) -> PatchReader.Result {
    guard let document = reading.document else { return reading }
    let clock = TimelineClock(document, sampleRate: sampleRate)
    let past = clock.order(of: document).filter { index in
      let step = document.timeline[index]
      guard step.stop == nil, let at = step.at.flatMap({ clock.seconds($0.value) }) else {
        return false
      }
      let duration = step.ramp?.duration.flatMap { clock.seconds($0.value) } ?? 0
      return at + duration <= seconds
    }
    guard !past.isEmpty else { return reading }
    let base = updates.last { $0.time <= seconds }?.reading ?? reading
    guard var tree = base.document?.root.tree else { return reading }
    for index in past {
      guard let ramp = document.timeline[index].ramp, let path = ramp.path, let to = ramp.to,
        let change = merge(path.value, to.source), let changed = apply(change, to: tree)
      else { continue }
      tree = changed
    }
    if let change = removal(of: past), let changed = apply(change, to: tree) { tree = changed }
    return PatchReader.read(tree.source)
  }

  private enum Change {
    case merge(JSONValue)
    case patch(JSONPatch)
  }

  private static func apply(_ change: Change, to tree: JSONTree) -> JSONTree? {
    let made =
      switch change {
      case .merge(let value): MergePatch.apply(value, to: tree)
      case .patch(let patch): patch.apply(to: tree)
      }
    return made.text.flatMap { PatchReader.read($0).document?.root.tree }
  }

  /// A merge patch that puts a value at a place.
  private static func merge(_ path: JSONPointer, _ value: String) -> Change? {
    var tokens = path.tokens
    if tokens.count > 4, tokens[0] == "nodes", tokens[2] == "nodes" {
      // In a sub-graph, which has its own of that.
      tokens = Array(tokens[..<2]) + ["settings", JSONPointer(Array(tokens[2...])).description]
    }
    let text = tokens.reversed().reduce(value) { "{ \(JSONText.string($1).compact): \($0) }" }
    return DocumentChange.read(SourceText(name: "ramp.json", text: text)).value.map { .merge($0) }
  }

  /// Takes steps out, the last first: what stands before it keeps its number.
  private static func removal(of steps: [Int]) -> Change? {
    let operations = steps.sorted(by: >).map {
      "{ \"op\": \"remove\", \"path\": \"/timeline/\($0)\" }"
    }
    let text = "[" + operations.joined(separator: ", ") + "]"
    guard let json = DocumentChange.read(SourceText(name: "steps.json", text: text)).value,
      let patch = JSONPatch.read(json, manner: .lenient).patch
    else { return nil }
    return .patch(patch)
  }
}

extension JSONValue {
  /// As it is written.
  fileprivate var source: String {
    String(decoding: tree.source.bytes[range], as: UTF8.self)
  }
}
