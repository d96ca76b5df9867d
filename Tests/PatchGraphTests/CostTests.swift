import AudioGraphs
import Diagnostics
import PatchGraph
import PatchReference
import PatchSyntax
import TestSupport
import Testing

/// The cost of checking a patch is at most proportional to its size, whatever it contains.
///
/// The tests count heap calls and requested bytes, which do not depend on the machine.
/// `patchrun-bench costs` also shows the time.
@Suite struct CostTests {
  private static func check(_ bytes: [UInt8]) -> BuiltPatch {
    PatchBuilder.build(PatchReader.read(bytes: bytes, name: "patch.json"), notes: true)
  }

  private static func cost(of shape: CostShape, _ count: Int) -> (calls: Int, bytes: Int) {
    let bytes = Array(shape.text(count).utf8)
    _ = check(bytes)
    return heapCost { _ = check(bytes) }
  }

  @Test(arguments: CostShape.allCases)
  func `twice as much of something costs no more than a little over twice as much`(
    shape: CostShape
  ) {
    let small = Self.cost(of: shape, shape.usualCount)
    let large = Self.cost(of: shape, 2 * shape.usualCount)
    #expect(small.calls > 100)
    #expect(Double(large.calls) < 2.2 * Double(small.calls), "\(small) \(large)")
    #expect(Double(large.bytes) < 2.2 * Double(small.bytes), "\(small) \(large)")
  }

  @Test(arguments: CostShape.allCases)
  func `of each kind of finding fifty are kept and the others counted`(shape: CostShape) {
    let patch = Self.check(Array(shape.text(2 * shape.usualCount).utf8))
    let kinds = Dictionary(grouping: patch.diagnostics, by: \.code)
    for (code, found) in kinds {
      #expect(found.count { $0.leftOut == 0 } <= 50, "\(code)")
      #expect(found.count { $0.leftOut > 0 } <= 1, "\(code)")
    }
  }

  @Test func `what is counted and what is shown add up to all there is`() {
    let patch = Self.check(Array(CostShape.unknownKeys.text(400).utf8))
    #expect(patch.diagnostics.count == 51)
    #expect(patch.diagnostics.findingCount == 400)
    #expect(patch.diagnostics.last?.message.text == "and 350 more PR0102")
    #expect(patch.hasErrors)
  }
}
