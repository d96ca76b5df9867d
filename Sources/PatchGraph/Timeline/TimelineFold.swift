import AudioTypes
import AudioUnits
import Diagnostics
import PatchSyntax

/// Plays the timeline of a document up to a time: past steps are made in the document itself, and
/// later ones stay in the timeline.
///
/// Past updates are made, and a parameter that a ramp has changed gets the target of the ramp. A
/// ramp that is in progress stays in the timeline.
enum TimelineFold {
  /// - Parameters:
  ///   - reading: A patch without errors.
  ///   - updates: The updates of its timeline.
  ///   - seconds: The time from the start. A step that ends at this time has happened.
  ///   - sampleRate: The rate that the session was granted, in Hz.
  static func fold(
    _ reading: PatchReader.Result, _ updates: [PlannedUpdate], upTo seconds: Double,
    sampleRate: Double
  ) -> PatchReader.Result {
    guard let document = reading.document else { return reading }
    let clock = TimelineClock(document, sampleRate: sampleRate)
    let past = clock.order(of: document).filter { index in
      end(of: document.timeline[index], clock).map { $0 <= seconds } ?? false
    }
    guard !past.isEmpty else { return reading }
    let update = updates.last { $0.time <= seconds }
    guard let own = reading.document?.root.tree,
      let tree = (update?.reading ?? reading).document?.root.tree
    else { return reading }
    let values = past.compactMap { value(of: document.timeline[$0], in: tree) }
    let removals = removals(of: past, document, clock)
    let folded: SourceText?
    if update == nil {
      folded = SettingEdit.apply(values + removals, to: own).change.text
    } else {
      // The document of an update has only a part of the timeline: the whole comes from the patch.
      folded = replaceTimeline(
        of: SettingEdit.apply(values, to: tree).change.text,
        by: SettingEdit.apply(removals, to: own).change.text)
    }
    return folded.map { PatchReader.read($0, limits: reading.limits) } ?? reading
  }

  /// The value that a ramp leads to; `nil` for a step that is no ramp, and for an element of an
  /// array that the document does not have.
  private static func value(of step: PatchDocument.Step, in tree: JSONTree) -> SettingEdit? {
    guard let ramp = step.ramp, let path = ramp.path, let to = ramp.to else { return nil }
    let place = place(of: path.value)
    var value = tree.root
    for token in place {
      guard let inside = value[JSONPointer([token])] else {
        guard value.kind == .object else { return nil }
        break
      }
      value = inside
    }
    return SettingEdit(pointer: JSONPointer(place), value: finalValue(to, path.value))
  }

  /// The circular parameters, by their keys. Parameters with the same key have the same range.
  static let circularParameters: [String: ParameterInfo] = {
    var found: [String: ParameterInfo] = [:]
    for component in UnitCatalog.standard.components {
      for info in component.unit.description.parameters where info.isCircular {
        found[info.key] = info
      }
    }
    return found
  }()

  /// The value of a parameter after a ramp, as JSON: the target as it is written, or wrapped into
  /// the range of a circular parameter.
  private static func finalValue(_ to: JSONValue, _ path: JSONPointer) -> String {
    guard path.tokens.first == "nodes",
      let info = path.tokens.last.flatMap({ circularParameters[$0] }),
      let value = to.number.map({ Float($0) }), !info.range.contains(value)
    else { return to.source }
    return JSONText.number(info.wrapped(value)).compact
  }

  /// A document with the timeline of another one.
  private static func replaceTimeline(of text: SourceText?, by other: SourceText?) -> SourceText? {
    guard let text, let other else { return nil }
    guard let old = JSONTree.read(text)?.root["timeline"]?.localRange,
      let new = JSONTree.read(other)?.root["timeline"]?.localRange
    else { return text }
    return text.replacing(old, with: new, of: other)
  }

  /// When the steps of a timeline end, in seconds from the start. A stop is left out, because it
  /// changes nothing in the document.
  static func ends(of document: PatchDocument, sampleRate: Double) -> [Double] {
    let clock = TimelineClock(document, sampleRate: sampleRate)
    return document.timeline.compactMap { end(of: $0, clock) }
  }

  /// When a step ends; `nil` for a stop.
  static func end(of step: PatchDocument.Step, _ clock: TimelineClock) -> Double? {
    guard step.stop == nil, let at = step.at.flatMap({ clock.seconds($0.value) }) else {
      return nil
    }
    return at + (step.ramp?.duration.flatMap { clock.seconds($0.value) } ?? 0)
  }

  /// The path at which the document sets what a ramp changes.
  private static func place(of path: JSONPointer) -> [String] {
    let tokens = path.tokens
    if tokens.count > 4, tokens[0] == "nodes", ["nodes", "callbacks"].contains(tokens[2]) {
      // The node of the sub-graph sets it in its "settings".
      return Array(tokens[..<2]) + ["settings", JSONPointer(Array(tokens[2...])).description]
    }
    return tokens
  }

  /// Removes steps, the last first, so that earlier steps keep their numbers. A repeated step stays
  /// for the repetitions that are still to come.
  private static func removals(
    of steps: [Int], _ document: PatchDocument, _ clock: TimelineClock
  ) -> [SettingEdit] {
    /// How often each step has happened, by its number as written, and its last repetition.
    var past: [Int: (count: Int, last: PatchDocument.Step)] = [:]
    for index in steps {
      let step = document.timeline[index]
      past[step.number] = ((past[step.number]?.count ?? 0) + 1, step)
    }
    return past.sorted { $0.key > $1.key }.flatMap { number, past -> [SettingEdit] in
      let place = ["timeline", String(number)]
      let left = (past.last.repetition?.count.value ?? 1) - past.count
      guard left > 0, let repetition = past.last.repetition, let at = past.last.at else {
        return [SettingEdit(pointer: JSONPointer(place), value: nil)]
      }
      let next = at.value.adding(repetition.every.value, times: 1)
      return [
        SettingEdit(pointer: JSONPointer(place + ["at"]), value: clock.json(next).compact),
        SettingEdit(pointer: JSONPointer(place + ["repeat", "count"]), value: String(left)),
      ]
    }
  }
}

extension JSONValue {
  /// The text that it is written with.
  fileprivate var source: String {
    String(decoding: tree.source.bytes[range], as: UTF8.self)
  }
}

extension JSONTree {
  /// Reads the text that results from a change of a valid document; `nil` where the text is not
  /// valid.
  static func read(_ text: SourceText) -> JSONTree? {
    let reading = JSONReader.read(text, dialect: JSONReader.Dialect(fileName: text.name))
    return reading.hasErrors ? nil : reading.tree
  }
}
