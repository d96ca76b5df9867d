import AudioTypes
import Diagnostics
import Foundation
import PatchGraph
import PatchReference
import PatchSyntax
import RenderHost
import TestSupport
import Testing

/// The name of a constant may stand in the place of a value: in the schema wherever the program takes it.
@Suite struct ConstantSchemaTests {
  /// A patch in which one value is a constant's.
  private struct Variant {
    let name: String
    let document: JSONText

    /// Whether `validate` finds no error in it.
    var isRight: Bool {
      let reading = PatchReader.read(bytes: Array(document.document.utf8), name: "patch.json")
      let folder = PrintedFiles.package.appending(path: "patches").path
      return !PatchBuilder.build(reading, directory: folder).diagnostics.contains {
        $0.severity == .error
      }
    }
  }

  /// The patches of the repository, each with one value of each kind of place as a constant.
  private static func variants() throws -> [Variant] {
    var variants: [Variant] = []
    var seen: Set<[String]> = []
    let folder = PrintedFiles.package.appending(path: "patches")
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    where file.hasSuffix(".json") && !file.hasSuffix(".test.json") {
      let bytes = try Data(contentsOf: folder.appending(path: file))
      let reading = JSONReader.read(
        SourceText(name: file, bytes: Array(bytes)), dialect: JSONReader.Dialect(fileName: file))
      let tree = try #require(reading.tree)
      let patch = JSONText(tree.root)
      for (path, value) in scalars(of: patch) where path[0] != "constants" && path[0] != "$schema" {
        // No constant has the name of another, or a formula of a repetition, as its value.
        if case .string(let text) = value, text.hasPrefix("$") || text.hasPrefix("{") {
          continue
        }
        // Names are as good as each other.
        var place = path.map { Int($0) == nil ? $0 : "#" }
        if ["nodes", "callbacks", "taps", "streamFormats"].contains(path[0]) { place[1] = "*" }
        guard seen.insert(place).inserted else { continue }
        let known: JSONText = patch["constants"] ?? .object([])
        let constants = JSONText.Member("constants", known.adding(["itsValue": value]))
        let changed = replacing(patch, path[...], by: "$itsValue")
        variants.append(
          Variant(
            name: "/\(path.joined(separator: "/")) of \(file)",
            document: .object(changed.members.filter { $0.name != "constants" } + [constants])))
      }
    }
    return variants
  }

  private static func scalars(of value: JSONText) -> [(path: [String], value: JSONText)] {
    switch value {
    case .object(let members):
      members.flatMap { member in
        scalars(of: member.value).map { ([member.name] + $0.path, $0.value) }
      }
    case .array(let elements):
      elements.enumerated().flatMap { index, element in
        scalars(of: element).map { ([String(index)] + $0.path, $0.value) }
      }
    default: [([], value)]
    }
  }

  private static func replacing(
    _ value: JSONText, _ path: ArraySlice<String>, by other: JSONText
  ) -> JSONText {
    guard let first = path.first else { return other }
    switch value {
    case .object(let members):
      return .object(
        members.map {
          $0.name == first ? .init($0.name, replacing($0.value, path.dropFirst(), by: other)) : $0
        })
    case .array(let elements):
      return .array(
        elements.enumerated().map {
          String($0) == first ? replacing($1, path.dropFirst(), by: other) : $1
        })
    default: return value
    }
  }

  @Test(
    .enabled(if: JSONSchemaOracle.isThere, "python3 with the package jsonschema is not there"))
  func `a constant may stand in the schema where it may in the program`() throws {
    let variants = try Self.variants()
    let verdicts = try JSONSchemaOracle.verdicts(
      schema: PatchSchema.text(), documents: variants.map(\.document.document))
    var right = 0
    for (variant, isAccepted) in zip(variants, verdicts) {
      let isRight = variant.isRight
      if isRight { right += 1 }
      #expect(isAccepted == isRight, "\(variant.name)")
    }
    #expect(variants.count > 120 && right > 120)
  }

  @Test(
    .enabled(if: JSONSchemaOracle.isThere, "python3 with the package jsonschema is not there"))
  func `a text that is no word of a place and no constant is refused by the schema`() throws {
    let changes: [(path: [String], value: JSONText)] = [
      (["callbacks", "a", "kind"], "tome"), (["callbacks", "a", "waveform"], "sqare"),
      (["nodes", "io", "component"], "remotIO"), (["session", "category"], "play"),
      (["schemaVersion"], 2), (["callbacks", "a", "waveform"], "$a b"),
    ]
    let patch: JSONText = [
      "schemaVersion": 1, "session": ["category": "playback"],
      "callbacks": ["a": ["kind": "tone", "waveform": "square"]],
      "nodes": ["io": ["component": "remoteIO"]],
      "connections": [["from": "a", "to": "io"]],
    ]
    let documents = [patch] + changes.map { Self.replacing(patch, $0.path[...], by: $0.value) }
    let verdicts = try JSONSchemaOracle.verdicts(
      schema: PatchSchema.text(), documents: documents.map(\.document))
    #expect(verdicts == [true] + changes.map { _ in false })
  }
}
