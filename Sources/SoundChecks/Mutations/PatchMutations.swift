import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import PatchGraph
import PatchSyntax

/// Faults in the patch itself: its sources, nodes and parameters.
struct PatchMutations {
  private let patch: TestFile.TestedSource
  private let document: PatchDocument?
  private let graph: AudioGraph?

  /// The number of callbacks, nodes or settings that are mutated in the same way.
  private static let maximumPerKind = 8

  init(_ patch: TestFile.TestedSource) {
    self.patch = patch
    let reading = patch.reading()
    document = reading.document
    graph =
      PatchBuilder.build(
        reading, in: patch.surroundings, device: .assumed(HardwareAssumption())
      ).graph
  }

  var all: [Mutation] { sources + nodes + settings }

  private func mutation(_ kind: String, _ title: String, _ overrides: [String]) -> Mutation {
    Mutation(kind: kind, title: title, change: .patch(overrides))
  }

  /// Silenced callbacks, and tones a semitone sharp.
  private var sources: [Mutation] {
    var found: [Mutation] = []
    for callback in document?.callbacks.prefix(Self.maximumPerKind) ?? [] {
      let pointer = JSONPointer(["callbacks", callback.name])
      found.append(
        mutation(
          "mute a source", "callback \(quoted(callback.name)) is silent",
          ["\(pointer)={ \"kind\": \"silence\" }"]))
      guard let field = callback.value.fields.first(where: { $0.name == "frequency" }),
        let number = field.value.number
      else { continue }
      found.append(
        mutation(
          "detune a source", "callback \(quoted(callback.name)) is a semitone sharp",
          ["\(pointer)/frequency=\(number * 1.0594630943592953)"]))
    }
    return found
  }

  /// Bypassed nodes: their input takes the place of their output.
  private var nodes: [Mutation] {
    guard let document else { return [] }
    var found: [Mutation] = []
    for node in document.nodes where found.count < Self.maximumPerKind {
      let into = document.connections.enumerated().filter {
        $0.element.to?.value.node == node.name
      }
      let out = document.connections.enumerated().filter {
        $0.element.from?.value.node == node.name
      }
      guard let source = into.first?.element.from, !out.isEmpty,
        document.connections.count == document.root["connections"].map({ Array($0.elements).count })
      else { continue }
      let address = JSONText(source.json).compact
      found.append(
        mutation(
          "drop a node", "node \(quoted(node.name)) is gone around",
          out.map { "/connections/\($0.offset)/from=\(address)" }))
    }
    return found
  }

  /// Settings of units reset to those of fresh units.
  private var settings: [Mutation] {
    guard let document, let graph else { return [] }
    var found: [Mutation] = []
    for node in document.nodes {
      guard let id = graph.nodes.first(where: { (try? graph.nodeInfo($0))?.name == node.name }),
        let unit = try? graph.unit(id)
      else { continue }
      let pointer = JSONPointer(["nodes", node.name])
      if node.value.properties.contains(where: { $0.name == "presentPreset" }) {
        found.append(
          mutation(
            "flatten an equalizer", "\(quoted(node.name)) has its first preset",
            ["\(pointer)/properties/presentPreset=0"]))
      }
      if node.value.json["bands"] != nil {
        found.append(
          mutation(
            "flatten an equalizer", "\(quoted(node.name)) has no bands", ["\(pointer)/bands=[]"]))
      }
      found += parameters(node.value.parameters, unit, .global, pointer, node.name)
      for (scope, elements, key) in [
        (Scope.input, node.value.inputs, "inputs"), (.output, node.value.outputs, "outputs"),
      ] {
        for element in elements {
          found += parameters(
            element.parameters, unit, scope, pointer.appending([key, "\(element.bus.value)"]),
            "\(node.name):\(element.bus.value)")
        }
      }
    }
    return Array(found.prefix(2 * Self.maximumPerKind))
  }

  private func parameters(
    _ fields: [PatchDocument.Field], _ unit: UnitInstance, _ scope: Scope, _ pointer: JSONPointer,
    _ name: String
  ) -> [Mutation] {
    fields.compactMap { field in
      guard
        let info = unit.description.parameters(in: scope).first(where: { $0.key == field.name })
      else { return nil }
      return mutation(
        "reset a parameter", "\(field.name) of \(quoted(name)) is as a fresh unit has it",
        ["\(pointer)/parameters/\(JSONPointer.escape(field.name))=\(info.defaultValue)"])
    }
  }
}

extension JSONPointer {
  fileprivate func appending(_ more: [String]) -> JSONPointer { JSONPointer(tokens + more) }
}
