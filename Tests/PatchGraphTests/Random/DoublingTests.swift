import Diagnostics
import Foundation
import PatchGraph
import PatchSyntax
import RenderHost
import TestSupport
import Testing

/// Checking sixteen copies of a random patch costs little more than twice as much as checking
/// eight: in heap calls and requested bytes, which do not depend on the machine.
///
/// `PATCHRUN_PROPERTY_EFFORT=84 swift test --filter DoublingTests` doubles 5,000 patches.
@Suite struct DoublingTests {
  private static let count = 60

  /// A patch with renamed copies of its nodes, callbacks and taps, and of everything that refers to
  /// them. The output unit is not copied.
  struct Copies {
    private static let named = ["nodes", "callbacks", "taps"]
    private let patch: JSONText
    private var names: Set<String> = []
    /// The names of the output units.
    private var single: Set<String> = []

    init(of patch: JSONText) {
      self.patch = patch
      for part in Self.named {
        for member in patch[part]?.members ?? [] {
          let component = member.value["component"]
          if component == "remoteIO" || component == "GenericOutput" {
            single.insert(member.name)
          } else {
            names.insert(member.name)
          }
        }
      }
    }

    /// The patch with `count` copies.
    func document(_ count: Int) -> JSONText {
      var result = patch
      for number in 1..<max(1, count) {
        for part in Self.named {
          guard case .object(let members)? = patch[part] else { continue }
          let copied = members.filter { !single.contains($0.name) }.map {
            JSONText.Member(name($0.name, number), copy($0.value, number))
          }
          guard case .object(let present)? = result[part] else { continue }
          result[part] = .object(present + copied)
        }
        if case .array(let present)? = result["connections"],
          case .array(let connections)? = patch["connections"]
        {
          let copied = connections.filter { !concernsOutput($0) }.map { copy($0, number) }
          result["connections"] = .array(present + copied)
        }
        addToTimeline(number, &result)
      }
      return result
    }

    /// Copied ramps are added to the timeline; copied operations join the update at their time.
    /// More updates of larger documents would cost more than in proportion, which the limit
    /// `updates` is for.
    private func addToTimeline(_ number: Int, _ result: inout JSONText) {
      guard case .array(let entries)? = patch["timeline"],
        case .array(var all)? = result["timeline"]
      else { return }
      for (index, entry) in entries.enumerated() {
        guard case .array(let operations)? = entry["update"] else {
          all.append(copy(entry, number))
          continue
        }
        guard case .array(let present)? = all[index]["update"] else { continue }
        all[index]["update"] = .array(present + operations.map { copy($0, number) })
      }
      result["timeline"] = .array(all)
    }

    private func concernsOutput(_ connection: JSONText) -> Bool {
      ["from", "to"].contains { key in
        guard case .string(let address)? = connection[key] else { return false }
        return single.contains(String(address.prefix { $0 != ":" }))
      }
    }

    private func name(_ name: String, _ number: Int) -> String {
      names.contains(name) ? "\(name)-\(number)" : name
    }

    /// A value with the names of a copy: alone, before a bus, and in pointers. Files that taps
    /// write are renamed, too.
    private func copy(_ value: JSONText, _ number: Int) -> JSONText {
      switch value {
      case .string(let text): return .string(copy(text, number))
      case .array(let values): return .array(values.map { copy($0, number) })
      case .object(let members):
        let writes =
          members.contains { $0.name == "at" } && members.contains { $0.name == "path" }
          && !members.contains { $0.name == "ramp" }
        return .object(
          members.map { member in
            if writes, member.name == "path", case .string(let path) = member.value {
              return .init(member.name, .string("\(number)-\(path)"))
            }
            // A callback may have the name of its kind.
            if ["kind", "component"].contains(member.name) { return member }
            return .init(member.name, copy(member.value, number))
          })
      default: return value
      }
    }

    private func copy(_ text: String, _ number: Int) -> String {
      if text.hasPrefix("/") {
        var parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 2, Self.named.contains(parts[1]) else { return text }
        parts[2] = name(parts[2], number)
        return parts.joined(separator: "/")
      }
      let head = String(text.prefix { $0 != ":" })
      return names.contains(head) ? name(head, number) + text.dropFirst(head.count) : text
    }
  }

  /// Few findings are shown, so that the search for each in the whole patch is limited as in
  /// patches with more than 50 of a kind.
  private static func build(_ text: String, _ directory: String) -> BuiltPatch {
    var limits = PatchLimits()
    limits.findings = 4
    return PatchBuilder.build(text, limits: limits, directory: directory)
  }

  @Test(arguments: 0..<4)
  func `a patch at random that is there twice as often costs no more than a little over twice`(
    part: Int
  ) throws {
    let folder = try TemporaryFolder()
    var (right, doubled) = (0, 0)
    var ratios: [Double] = []
    for index in 0..<Self.count * PatchProperties.effort / 4 {
      let seed = UInt64(index * 4 + part)
      let patch = WidePatch(seed: seed)
      for (name, text) in patch.parts {
        try folder.write(text, to: name)
      }
      let copies = Copies(of: patch.document)
      func cost(_ count: Int) -> (calls: Int, bytes: Int) {
        let text = copies.document(count).document
        return heapCost { _ = Self.build(text, folder.path) }
      }
      func ratio(_ count: Int) -> Double {
        let (once, twice) = (cost(count), cost(2 * count))
        return max(
          Double(twice.calls) / Double(once.calls), Double(twice.bytes) / Double(once.bytes))
      }
      if !Self.build(copies.document(8).document, folder.path).hasErrors { right += 1 }
      // A patch that is too broken to be checked costs almost nothing.
      guard cost(8).calls > 500 else { continue }
      doubled += 1
      // Each shown finding is searched in a larger patch, and there are more of them, until the
      // limit of each kind is reached.
      let found = ratio(8)
      ratios.append(found)
      guard found >= 2.2 else { continue }
      let later = ratio(64)
      guard later >= 2.2 else { continue }
      Issue.record("seed \(seed): \(found), later \(later) times\n\(patch.document.document)")
      return
    }
    #expect(doubled > Self.count / 8)
    #expect(right > Self.count / 20)
    print("doubling: \(doubled) patches, \(right) of them right, worst \(ratios.max() ?? 0)")
  }

  @Test func `a cost that grows with the square would be found`() {
    func cost(_ count: Int) -> Int {
      heapCost {
        var arrays: [[Int]] = []
        for _ in 0..<count { arrays.append(Array(repeating: 1, count: count)) }
      }.bytes
    }
    #expect(Double(cost(2000)) > 2.2 * Double(cost(1000)))
  }
}
