import PatchSyntax

/// Makes the changes that OSC messages request.
struct OSCChange: Sendable {
  let patch: any ControlledPatch
  let tally: ControlTally
  /// The maximum number of changes to try.
  let attempts: Int

  /// Makes all changes at once. If the patch refuses them, tries both halves, and their halves, so
  /// that a wrong value does not block the others.
  func make(_ all: [[OSCMessage]]) async {
    // Settings take effect before the triggers of the same messages.
    let batches = all.map { $0.filter { $0.address != Self.trigger } }.filter { !$0.isEmpty }
    if !batches.isEmpty { await change(batches) }
    // Each sound begins once, however often it is named, and at most `attempts` sounds begin.
    var names: [String] = []
    for message in all.flatMap(\.self) where message.address == Self.trigger {
      let named = message.arguments.compactMap(Self.name)
      if named.isEmpty { tally.count(\.oscUnmatched) }
      for name in named where !names.contains(name) {
        if names.count < attempts { names.append(name) } else { tally.count(\.oscDropped) }
      }
    }
    for name in names {
      if case .begun = await patch.trigger(name, by: .osc) {
        tally.count(\.applied)
      } else {
        tally.count(\.oscUnmatched)
      }
    }
  }

  /// The address of messages that trigger callbacks.
  static let trigger = "/trigger"

  /// The name in an argument; `nil` if it is no text.
  private static func name(_ argument: OSCArgument) -> String? {
    switch argument {
    case .string(let text), .symbol(let text): text
    default: nil
    }
  }

  private func change(_ batches: [[OSCMessage]]) async {
    var rest = [batches[...]]
    var attempts = attempts
    while let some = rest.popLast() {
      guard attempts > 0 else {
        tally.count(\.oscDropped, by: some.reduce(0) { $0 + $1.count })
        continue
      }
      attempts -= 1
      let isDone = await change(some.flatMap(\.self), isAlone: some.count == 1)
      guard !isDone, some.count > 1 else { continue }
      let middle = some.startIndex + some.count / 2
      // The first half is tried next.
      rest += [some[middle...], some[..<middle]]
    }
  }

  /// The last message for each address and argument type, at its position, with the number of such
  /// messages. So the setting of a fast fader is looked up in the document once.
  static func last(of messages: [OSCMessage]) -> [(message: OSCMessage, count: Int)] {
    struct Key: Hashable {
      var address: String
      var type: String
    }
    var counts: [Key: Int] = [:]
    let keys = messages.map { message in
      let type = message.arguments.map { "\($0)".prefix { $0 != "(" } }.joined(separator: ",")
      return Key(address: message.address, type: type)
    }
    for key in keys { counts[key, default: 0] += 1 }
    var kept: [(message: OSCMessage, count: Int)] = []
    for (message, key) in zip(messages, keys).reversed() {
      guard let count = counts.removeValue(forKey: key) else { continue }
      kept.append((message, count))
    }
    return kept.reversed()
  }

  /// Returns whether nothing is left to do.
  private func change(_ messages: [OSCMessage], isAlone: Bool) async -> Bool {
    for _ in 0..<16 {
      let document = await patch.document()
      guard let root = document.root else { return true }
      var edits: [SettingEdit] = []
      var places: [JSONPointer: Int] = [:]
      var unmatched = 0
      for (message, count) in Self.last(of: messages) {
        let some = OSCSettings.edits(of: message, in: root)
        if some.isEmpty { unmatched += count }
        for edit in some {
          if let place = places[edit.pointer] {
            edits[place] = edit
          } else {
            places[edit.pointer] = edits.count
            edits.append(edit)
          }
        }
      }
      guard !edits.isEmpty else {
        tally.count(\.oscUnmatched, by: unmatched)
        return true
      }
      let outcome = await patch.change(
        .set(edits), ifMatch: document.tag, by: .osc, through: .port)
      switch outcome {
      case .otherTag: continue
      case .applied:
        tally.count(\.oscUnmatched, by: unmatched)
        tally.count(\.applied)
        return true
      case .refused, .failed:
        if isAlone { tally.count(\.refused) }
        return false
      }
    }
    tally.count(\.oscDropped)
    return true
  }
}
