import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import PatchSyntax

extension SubgraphAssembler {
  // MARK: Inputs

  /// Reports callbacks that stand for the same input.
  mutating func checkInputs(_ level: inout Level) {
    var first: [Int: Located<String>] = [:]
    for member in level.document.callbacks {
      guard let bus = Self.inputBus(member.value) else { continue }
      guard let other = first[bus] else {
        first[bus] = member.key
        continue
      }
      reportTwice(
        "\(quoted(other.value)) and \(quoted(member.name)) stand for one input, bus \(bus)",
        at: member.value.json["bus"] ?? member.key.json, other.json, "the other one",
        help: "give each a bus of its own")
      level.names.remove(member.name)
      result.unresolved.insert(level.prefix + member.name)
    }
  }

  /// The number of the input that a callback stands for; `nil` for a callback of another kind.
  static func inputBus(_ callback: PatchDocument.Callback) -> Int? {
    guard callback.kind?.value == inputKind else { return nil }
    guard let bus = callback.fields.first(where: { $0.name == "bus" })?.value else { return 0 }
    return bus.integer.flatMap { $0 >= 0 ? $0 : nil }
  }

  /// Records the use of a source. An input of the patch may be used once: returns `false`, and
  /// reports it, where it feeds another place already.
  private mutating func recordUse(of address: Located<Address>, _ level: inout Level) -> Bool {
    let name = address.value.node
    if level.inputs == nil {
      level.inputs = Set(
        level.document.callbacks.filter { $0.value.kind?.value == Self.inputKind }.map(\.name))
    }
    guard level.inputs?.contains(name) == true else { return true }
    guard let first = level.uses[name] else {
      level.uses[name] = address.json
      return true
    }
    reportTwice(
      "\(quoted(name)) feeds two places, and what it stands for is one output at most",
      at: address.json, first, "it feeds this already",
      help: "an output feeds one input only: let a callback of its own feed the other")
    return false
  }

  private mutating func reportTwice(
    _ message: String, at json: JSONValue, _ first: JSONValue, _ label: String, help: String
  ) {
    report(
      OutputsFeedOne.rule.diagnostic(
        .init(message),
        status: .invalidConnection,
        at: json.markRange,
        pointer: json.pointer.description,
        notes: [.init(.init(label), at: first.markRange)],
        help: [help]))
  }

  /// The source that a processing callback pulls; `nil` for none.
  mutating func pulled(
    by member: PatchDocument.Member<PatchDocument.Callback>, _ level: inout Level
  ) -> Located<Address>? {
    guard let json = CallbackSource.json(member.value),
      let address = member.value.pulled ?? PatchReader.address(json, "'from'").address
    else { return nil }
    let isFirst = recordUse(of: address, &level)
    guard isFirst, let source = resolved(address, &level) else {
      result.unresolved.insert(level.prefix + member.name)
      return nil
    }
    return source
  }

  /// The connections within a patch, and what feeds the inputs of its sub-graphs.
  mutating func connections(
    _ level: inout Level
  ) -> (own: [PatchDocument.Connection], bindings: [String: [Int: InputSource]]) {
    var own: [PatchDocument.Connection] = []
    var bindings: [String: [Int: InputSource]] = [:]
    for connection in level.document.connections {
      var ends = connection
      if let from = connection.from {
        let isFirst = recordUse(of: from, &level)
        ends.from = isFirst ? resolved(from, &level) : nil
      }
      guard let to = connection.to else {
        own.append(ends)
        continue
      }
      guard let child = level.children[to.value.node] else {
        ends.to = resolved(to, &level)
        own.append(ends)
        continue
      }
      let bus = to.value.bus ?? 0
      if child.inputs[bus] == nil {
        reportNoInput(bus, to, child)
      } else if let first = bindings[to.value.node]?[bus] {
        report(
          InputsFedOnce.rule.diagnostic(
            "input \(bus) of the sub-graph \(quoted(to.value.node)) is already fed",
            status: .invalidConnection,
            at: to.range,
            pointer: to.pointer,
            notes: [.init("it is fed here", at: first.to.range)],
            help: ["to hear both, mix them before the sub-graph"]))
      } else {
        bindings[to.value.node, default: [:]][bus] = InputSource(source: ends.from, to: to.json)
        continue
      }
      ends.to = nil
      own.append(ends)
    }
    return (own, bindings)
  }

  private mutating func reportNoInput(_ bus: Int, _ to: Located<Address>, _ child: Child) {
    let buses = child.inputs.keys.sorted().map(String.init)
    let there =
      buses.isEmpty
      ? "it has none"
      : buses.count == 1
        ? "its only one is \(buses[0])" : "its inputs are \(buses.joined(separator: ", "))"
    report(
      UnitRules.element.diagnostic(
        "the sub-graph \(quoted(to.value.node)) has no input \(String(bus)): \(there)",
        status: .invalidElement,
        at: to.range,
        pointer: to.pointer,
        help: [
          "an input is a callback of its patch: "
            + "\"in\": { \"kind\": \"input\", \"bus\": \(bus) }"
        ]))
  }
}
