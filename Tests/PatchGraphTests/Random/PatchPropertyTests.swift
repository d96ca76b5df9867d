import AudioGraphs
import Diagnostics
import Foundation
import PatchGraph
import PatchReference
import PatchSyntax
import TestSupport
import Testing

/// Random patches, valid or with one or several mistakes. A patch that violates a property is
/// reduced as far as possible before it is reported.
@Suite struct PatchPropertyTests {
  /// Valid patches.
  static let right = (0..<(240 * PatchProperties.effort)).map {
    PatchGenerator.patch(seed: UInt64($0))
  }

  // MARK: Right patches

  @Test(arguments: 0..<4)
  func `a patch that is right by construction has no error, and initializes`(part: Int) {
    for patch in Self.right.enumerated().filter({ $0.offset % 4 == part }).map(\.element) {
      func failure(_ patch: GeneratedPatch) -> String? {
        let built = PatchProperties.build(patch)
        let error = built.diagnostics.first { $0.severity == .error }
        return error.map { "\($0.code) \($0.message)" } ?? PatchProperties.disagreement(built)
          ?? PatchProperties.formattingChanges(built, patch.hardware)
      }
      guard let what = failure(patch) else { continue }
      let built = PatchProperties.build(patch)
      Issue.record("\(PatchProperties.report(what, patch.document.document, built))")
      return
    }
  }

  // MARK: One mistake

  /// What is wrong with the findings for one mistake; `nil` if the patch has no place for it.
  private func failure(
    _ mutation: PatchMutation, in patch: GeneratedPatch, seed: UInt64
  ) -> (what: String?, document: JSONText)? {
    let before = PatchProperties.build(patch)
    guard !before.hasErrors,
      let (document, places) = mutation.applied(to: patch.document, seed: seed)
    else { return nil }
    let built = PatchProperties.build(document.document, patch.hardware)
    let what =
      PatchProperties.disorder(built, was: before, mutation, places)
      ?? PatchProperties.disagreement(built) ?? PatchProperties.badFix(built, patch.hardware)
    return (what, document)
  }

  @Test(arguments: PatchMutation.all)
  func `one mistake is one error, where it is`(mutation: PatchMutation) {
    var made = 0
    for (index, patch) in Self.right.enumerated() where made < 5 * PatchProperties.effort {
      let seed = UInt64(index)
      guard let (what, _) = failure(mutation, in: patch, seed: seed) else { continue }
      made += 1
      guard let what else { continue }
      // Keeps the kind of failure: its first word that is neither a number nor a name.
      var small = patch
      small.document = patch.document.shrunk { document in
        let attempt = GeneratedPatch(document: document, hardware: patch.hardware)
        let found = failure(mutation, in: attempt, seed: seed)?.what
        return found?.prefix(24) == what.prefix(24)
      }
      let (found, document) = failure(mutation, in: small, seed: seed) ?? (what, small.document)
      let text = document.document
      Issue.record(
        "\(PatchProperties.report(found ?? what, text, PatchProperties.build(text, patch.hardware)))"
      )
      return
    }
    #expect(made > 0, "no patch to make the mistake in")
  }

  // MARK: Many mistakes

  private func failure(_ text: String, _ hardware: HardwareAssumption) -> String? {
    let built = PatchProperties.build(text, hardware)
    return PatchProperties.disagreement(built)
      ?? PatchProperties.formattingChanges(built, hardware)
  }

  @Test(arguments: 0..<4)
  func `initialize succeeds exactly where nothing is an error, whatever is wrong`(part: Int) {
    for index in 0..<(150 * PatchProperties.effort) {
      var random = SplitMix64(seed: UInt64(index * 4 + part) | 1 << 40)
      guard var patch = Self.right.randomElement(using: &random) else { return }
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let mutation = PatchMutation.all.randomElement(using: &random)
        let seed = random.next()
        if let wrong = mutation?.applied(to: patch.document, seed: seed) {
          patch.document = wrong.document
        }
      }
      guard let what = failure(patch.document.document, patch.hardware) else { continue }
      let small = patch.document.shrunk {
        failure($0.document, patch.hardware)?.prefix(16) == what.prefix(16)
      }
      let built = PatchProperties.build(small.document, patch.hardware)
      Issue.record(
        "\(PatchProperties.report(failure(small.document, patch.hardware) ?? what, small.document, built))"
      )
      return
    }
  }

  @Test(arguments: 0..<4)
  func `a text with slips in it is read, and what is left of it judged`(part: Int) {
    for index in 0..<(80 * PatchProperties.effort) {
      var random = SplitMix64(seed: UInt64(index * 4 + part) | 1 << 41)
      guard let patch = Self.right.randomElement(using: &random) else { return }
      var text = Array(patch.document.document.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<text.count, using: &random)
        let slips = Array("{}[]\",:'/\\0-eu\n\t".utf8) + [0, 0x80, 0xFF]
        switch Int.random(in: 0..<3, using: &random) {
        case 0: text.remove(at: place)
        case 1: text.insert(slips.randomElement(using: &random) ?? 0, at: place)
        default: text[place] = slips.randomElement(using: &random) ?? 0
        }
      }
      let source = String(decoding: text, as: UTF8.self)
      guard let what = failure(source, patch.hardware) else { continue }
      // Removes lines as long as it fails.
      var lines = source.split(separator: "\n", omittingEmptySubsequences: false)
      for line in lines.indices.reversed() {
        var fewer = lines
        fewer.remove(at: line)
        if failure(fewer.joined(separator: "\n"), patch.hardware) != nil { lines = fewer }
      }
      let small = lines.joined(separator: "\n")
      Issue.record(
        "\(PatchProperties.report(what, small, PatchProperties.build(small, patch.hardware)))")
      return
    }
  }

  // MARK: The schema

  @Test(
    .enabled(if: JSONSchemaOracle.isThere, "python3 with the package jsonschema is not there"))
  func `what the schema refuses, validate refuses`() throws {
    var patches: [GeneratedPatch] = Array(Self.right.prefix(40))
    for (index, mutation) in PatchMutation.all.enumerated() {
      for (offset, patch) in Self.right.prefix(60).enumerated() {
        guard let wrong = mutation.applied(to: patch.document, seed: UInt64(index + offset)) else {
          continue
        }
        patches.append(GeneratedPatch(document: wrong.document, hardware: patch.hardware))
        if offset % 7 == 6 { break }
      }
    }
    let verdicts = try JSONSchemaOracle.verdicts(
      schema: PatchSchema.text(), documents: patches.map(\.document.document))
    #expect(verdicts.count == patches.count)
    for (patch, isAccepted) in zip(patches, verdicts) where !isAccepted {
      #expect(PatchProperties.build(patch).hasErrors, "\(patch.document.document)")
    }
  }

  // MARK: The means

  @Test func `a property that does not hold is shown by the smallest patch that breaks it`() {
    // "No patch has an equalizer" is wrong, and a single node shows that.
    func breaks(_ document: JSONText) -> Bool {
      !PatchView(document).nodes("iPodEQ").isEmpty
    }
    guard let patch = Self.right.first(where: { breaks($0.document) }) else {
      Issue.record("no patch has an equalizer")
      return
    }
    let small = patch.document.shrunk(while: breaks)
    #expect(small.members.map(\.name) == ["nodes"])
    #expect(small["nodes"]?.count == 1)
    #expect(small["nodes"]?.members.first?.value.members.map(\.name) == ["component"])
  }

  @Test func `the invariant is tripped by a graph that does not keep it`() throws {
    // A patch whose errors are withheld: initialization fails, although the patch reports no error.
    let text = """
      { "nodes": { "io": { "component": "remoteIO" }, "eq": { "component": "iPodEQ" } },
        "connections": [ { "from": "eq", "to": "io" } ] }
      """
    let right = PatchProperties.build(text, HardwareAssumption())
    #expect(PatchProperties.disagreement(right) == nil)
    let found = PatchProperties.disagreement(right.graph, isRefused: false)
    #expect(found?.contains("the patch has no error") == true)
  }

  @Test func `the same seed gives the same patch, and others give others`() {
    let texts = (0..<50).map { PatchGenerator.patch(seed: $0).document.document }
    #expect(texts == (0..<50).map { PatchGenerator.patch(seed: $0).document.document })
    #expect(Set(texts).count == 50)
    // All units, all kinds of callbacks that need no response, and all notations of formats.
    let all = Self.right.map(\.document.document).joined()
    for word in [
      "3DMixer", "MultichannelMixer", "iPodEQ", "FormatConverter", "remoteIO", "voiceProcessingIO",
      "GenericOutput", "\"tremolo\"", "\"file\"", "\"expression\"", "mFormatFlags", "\"ramp\"",
      "\"record\"", "channelMap", "\"category\"",
    ] {
      #expect(all.contains(word), "no \(word)")
    }
  }
}
