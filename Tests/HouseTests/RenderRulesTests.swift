import Foundation
import Testing

/// Rules for the render thread that can be checked in the source text.
@Suite struct RenderRulesTests {
  static let sources = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources").standardized

  static func swiftFiles() throws -> [(name: String, lines: [String])] {
    let files = FileManager.default.enumerator(atPath: sources.path)?.allObjects ?? []
    return try files.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted()
      .map { name in
        let text = try String(contentsOf: sources.appending(path: name), encoding: .utf8)
        return (
          name,
          text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        )
      }
  }

  /// Lines that declare a kernel's `render` without the attribute above them.
  static func unmarked(_ lines: [String]) -> [String] {
    zip(lines, lines.dropFirst()).filter { above, line in
      line.contains("mutating func render(_ context: RenderContext)")
        && line.hasSuffix("{") && above != "@_noLocks"
    }.map(\.1)
  }

  @Test func `every kernel's render is checked by the compiler`() throws {
    var kernels = 0
    for file in try Self.swiftFiles() {
      kernels += file.lines.count {
        $0.contains("mutating func render(_ context: RenderContext)") && $0.hasSuffix("{")
      }
      #expect(Self.unmarked(file.lines).isEmpty, "\(file.name)")
    }
    #expect(kernels >= 10)
  }

  /// The attribute of the requirement does not apply to a conformance.
  @Test(arguments: [("RenderCallbacks", 14), ("RenderTaps", 2)])
  func `whatever renders in a room of kernels is checked by the compiler`(
    room: String, least: Int
  ) throws {
    var count = 0
    for file in try Self.swiftFiles() where file.name.hasPrefix("\(room)/") {
      for (above, line) in zip(file.lines, file.lines.dropFirst())
      where line.contains("func render(_ ") {
        count += 1
        #expect(above == "@_noLocks", "\(file.name): \(line)")
      }
    }
    #expect(count >= least)
  }

  @Test func `a render without the mark is caught`() {
    #expect(
      Self.unmarked(["}", "mutating func render(_ context: RenderContext) -> Status {"]).count == 1)
  }

  /// The only files that may disable the checker, each with its reason beside it.
  static let doors = [
    "RenderCore/Signal/RenderMath.swift", "RenderCore/Plan/RenderKernel.swift",
    "RenderCore/Plan/RenderPlan.swift",
    "RenderCore/Plan/PlanSteps.swift", "RenderCore/Plan/RenderCrew.swift",
    "RenderCore/Signal/RealFFT.swift", "RenderCore/Signal/Spectrum.swift",
    "RenderCore/Kernels/MutedSpeechActivity.swift",
    "RenderCore/Signal/VectorMath.swift", "RenderCore/Descriptions/InputCallback.swift",
    "RenderCore/Kernels/ObserverKernel.swift", "RenderCore/Plan/RenderMeter.swift",
    "RenderHost/RenderClock.swift", "RenderHost/RenderSession.swift",
    "RenderCallbacks/Closure.swift", "RenderCallbacks/Native/NativeInstance.swift",
  ]

  @Test func `the checker is switched off only at the known doors`() throws {
    for file in try Self.swiftFiles()
    where file.lines.contains(where: { $0.contains("no_performance_analysis") }) {
      #expect(Self.doors.contains(file.name), "\(file.name)")
    }
  }
}
