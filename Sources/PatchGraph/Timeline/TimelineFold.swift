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
      var tree = (update?.reading ?? reading).document?.root.tree
    else { return reading }
    var values = MergedValues()
    // A merge patch cannot change an element of an array, such as a band or a level of a matrix.
    var elements: [String] = []
    for index in past {
      guard let ramp = document.timeline[index].ramp, let path = ramp.path, let to = ramp.to else {
        continue
      }
      let place = place(of: path.value)
      if let array = place.indices.first(where: {
        tree.root[JSONPointer(Array(place.prefix($0)))]?.kind == .array
      }) {
        guard tree.root[JSONPointer(Array(place.prefix(array + 1)))] != nil else { continue }
        let pointer = JSONPointer(place)
        // An "add" in an array would insert an element.
        let operation = tree.root[pointer] == nil ? "add" : "replace"
        elements.append(
          """
          { "op": "\(operation)", "path": \(JSONText.string(pointer.description).compact), \
          "value": \(finalValue(to, path.value)) }
          """)
      } else {
        values.put(finalValue(to, path.value), at: place[...])
      }
    }
    if let change = merge(values), let changed = apply(change, to: tree) { tree = changed }
    if let change = patch(elements), let changed = apply(change, to: tree) { tree = changed }
    // The document of an update has only a part of the timeline: the whole comes from the patch.
    guard let removal = removal(of: past, document, clock), let rest = apply(removal, to: own)
    else {
      return reading
    }
    if update == nil {
      if let changed = apply(removal, to: tree) { tree = changed }
    } else if let changed = replaceTimeline(of: tree, by: rest) {
      tree = changed
    }
    return PatchReader.read(tree.source, limits: reading.limits)
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
  private static func replaceTimeline(of tree: JSONTree, by other: JSONTree) -> JSONTree? {
    guard let old = tree.root["timeline"]?.localRange,
      let new = other.root["timeline"]?.localRange
    else { return nil }
    return JSONTree.read(tree.source.replacing(old, with: new, of: other.source))
  }

  /// When the steps of a timeline end, in seconds from the start. A stop is left out, because it
  /// changes nothing in the document.
  static func ends(of document: PatchDocument, sampleRate: Double) -> [Double] {
    let clock = TimelineClock(document, sampleRate: sampleRate)
    return document.timeline.compactMap { end(of: $0, clock) }
  }

  private static func end(of step: PatchDocument.Step, _ clock: TimelineClock) -> Double? {
    guard step.stop == nil, let at = step.at.flatMap({ clock.seconds($0.value) }) else {
      return nil
    }
    return at + (step.ramp?.duration.flatMap { clock.seconds($0.value) } ?? 0)
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
    return made.text.flatMap { JSONTree.read($0) }
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

  /// A merge patch that sets values at their places; `nil` where there are none.
  private static func merge(_ values: MergedValues) -> Change? {
    guard !values.isEmpty else { return nil }
    return DocumentChange.read(SourceText(name: "ramp.json", text: values.text)).value
      .map { .merge($0) }
  }

  /// A JSON Patch of operations, each given as JSON; `nil` where there are none.
  private static func patch(_ operations: [String]) -> Change? {
    guard !operations.isEmpty else { return nil }
    let text = "[\(operations.joined(separator: ", "))]"
    guard let json = DocumentChange.read(SourceText(name: "steps.json", text: text)).value else {
      return nil
    }
    return JSONPatch.read(json, strictness: .lenient).patch.map { .patch($0) }
  }

  /// Removes steps, the last first, so that earlier steps keep their numbers. A repeated step stays
  /// for the repetitions that are still to come.
  private static func removal(
    of steps: [Int], _ document: PatchDocument, _ clock: TimelineClock
  ) -> Change? {
    /// How often each step has happened, by its number as written, and its last repetition.
    var past: [Int: (count: Int, last: PatchDocument.Step)] = [:]
    for index in steps {
      let step = document.timeline[index]
      past[step.number] = ((past[step.number]?.count ?? 0) + 1, step)
    }
    let operations = past.sorted { $0.key > $1.key }.flatMap { number, past -> [JSONText] in
      let place = "/timeline/\(number)"
      let left = (past.last.repetition?.count.value ?? 1) - past.count
      guard left > 0, let repetition = past.last.repetition, let at = past.last.at else {
        return [["op": "remove", "path": .string(place)]]
      }
      let next = at.value.adding(repetition.every.value, times: 1)
      return [
        ["op": "replace", "path": .string(place + "/at"), "value": clock.json(next)],
        ["op": "replace", "path": .string(place + "/repeat/count"), "value": .number(left)],
      ]
    }
    return patch(operations.map(\.compact))
  }
}

/// Values that are put into a document together. Of two values for the same place, the last counts.
private struct MergedValues {
  /// The value as JSON; `nil` for an object.
  private var value: String?
  private var names: [String] = []
  private var inside: [String: MergedValues] = [:]

  var isEmpty: Bool { names.isEmpty }

  mutating func put(_ value: String, at place: ArraySlice<String>) {
    guard let name = place.first else {
      self.value = value
      return
    }
    if inside[name] == nil { names.append(name) }
    inside[name, default: MergedValues()].put(value, at: place.dropFirst())
  }

  /// As JSON.
  var text: String {
    if let value { return value }
    let members = names.compactMap { name in
      inside[name].map { "\(JSONText.string(name).compact): \($0.text)" }
    }
    return "{ \(members.joined(separator: ", ")) }"
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
