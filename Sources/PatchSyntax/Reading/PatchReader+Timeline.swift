import Diagnostics

// MARK: The timeline

extension PatchReader {
  /// The steps: a repeated one once for each repetition.
  mutating func timeline(_ json: JSONValue) -> [PatchDocument.Step] {
    array(json, "'timeline'").enumerated().flatMap { number, value in step(value, number: number) }
  }

  private mutating func step(_ json: JSONValue, number: Int) -> [PatchDocument.Step] {
    guard check(json, "a step of the timeline", .object) else { return [] }
    var written = PatchGrammar.WrittenStep(step: PatchDocument.Step(json: json))
    written.step.number = number
    read(json, as: PatchGrammar.step, into: &written)
    let (step, actions) = (written.step, written.actions)
    // An unknown key may be a misspelt action.
    let isUnclear =
      actions.isEmpty
      && json.members.contains { member in
        guard let key = member.key.string else { return true }
        return !PatchGrammar.step.keys.contains(key) && key != "comment"
      }
    if actions.count != 1, !isUnclear {
      diagnostics.append(.oneAction(json, second: actions.dropFirst().first))
    }
    guard let repetition = written.repetition else { return [step] }
    if step.json["stop"] != nil {
      // A step with a second action has been reported.
      if actions.count == 1 { diagnostics.append(.repeatedStop(repetition.json)) }
      return [step]
    }
    return repetition.value.map { repeated(step, $0) } ?? [step]
  }

  /// The name of a callback, or an array of names.
  mutating func triggers(_ json: JSONValue) -> [Located<String>] {
    let names = Array(json.elements)
    guard json.kind == .string || json.kind == .array && !names.isEmpty else {
      reportType(
        json, "'trigger'", "the name of a callback, or an array of at least one",
        help: "write the name of the callback that begins again")
      return []
    }
    return (json.kind == .array ? names : [json]).compactMap { string($0, "'trigger'") }
  }

  /// The repetitions of a step, as far as the limit allows.
  private mutating func repeated(
    _ step: PatchDocument.Step, _ repetition: PatchDocument.Repetition
  ) -> [PatchDocument.Step] {
    var step = step
    step.repetition = repetition
    guard let first = step.at, repetition.count.value > 1 else { return [step] }
    let added = repetition.count.value - 1
    guard repetitionCount <= limits.steps else { return [step] }
    repetitionCount += added
    guard repetitionCount <= limits.steps else {
      diagnostics.append(.tooManySteps(at: repetition.count.json, added, limits))
      return [step]
    }
    return (0...added).map { index in
      step.repetitionIndex = index
      step.at = Located(first.value.adding(repetition.every.value, times: index), at: first.json)
      return step
    }
  }

  mutating func repetition(_ json: JSONValue) -> PatchDocument.Repetition? {
    guard check(json, "'repeat'", .object) else { return nil }
    var written = PatchGrammar.WrittenRepetition()
    read(json, as: PatchGrammar.repetition, into: &written)
    if let time = written.every, time.value.isZero {
      diagnostics.append(.noInterval(time.json))
      return nil
    }
    guard let every = written.every, let count = written.count else { return nil }
    return PatchDocument.Repetition(json: json, every: every, count: count)
  }

  mutating func ramp(_ json: JSONValue) -> PatchDocument.Ramp? {
    guard check(json, "a ramp", .object) else { return nil }
    var ramp = PatchDocument.Ramp(json: json)
    read(json, as: PatchGrammar.ramp, into: &ramp)
    return ramp
  }
}

// MARK: Wording

extension Diagnostic {
  fileprivate static func repeatedStop(_ json: JSONValue) -> Diagnostic {
    PatchRules.exclusive.diagnostic(
      "a patch stops once: 'stop' is not repeated", at: json.markRange,
      pointer: json.pointer.description, label: "this is one too many", help: ["remove 'repeat'"])
  }

  fileprivate static func noInterval(_ json: JSONValue) -> Diagnostic {
    PatchRules.range.diagnostic(
      "'every' is a time greater than 0", at: json.markRange, pointer: json.pointer.description,
      label: "all of them would come at once",
      help: ["write the time from the beginning of one to that of the next"])
  }

  fileprivate static func tooManySteps(
    at json: JSONValue, _ added: Int, _ limits: PatchLimits
  ) -> Diagnostic {
    CostRules.steps.diagnostic(
      "with this the repetitions of the timeline add more than \(Message(decimal(limits.steps))) steps",
      at: json.range, pointer: json.pointer.description,
      label: "\(Message(decimal(added))) of them are added here",
      help: [limits.help(.steps, needed: limits.steps + added)])
  }
}
