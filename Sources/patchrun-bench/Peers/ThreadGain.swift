import Foundation

/// Measures how much sooner a render with two threads ends than one with a single thread, beside
/// what the machine gives: two renders with one thread each that run at once.
///
/// Two processors may share a core, or the memory's bandwidth. No program then gains more than two
/// independent ones do.
struct ThreadGain {
  let patchrun: String
  /// The folder of the patches.
  let patches: String
  /// The folder of the rendered files.
  let output: String
  let rounds: Int

  /// The rounds here for each of `rounds`: a moment in which the host needs a processor for others
  /// costs two threads more than one.
  private static let repeats = 3

  /// The least gain that is wanted: 1.8, or nine tenths of the machine's where that is less.
  private static func goal(_ machine: Double) -> Double { min(1.8, 0.9 * machine) }

  /// Prints a table with a row for each patch.
  ///
  /// - Parameter patches: Each with the seconds to render.
  func run(_ patches: [(name: String, seconds: Double)]) {
    print(
      "\n| Two threads | one | two | gain | two programs at once gain | same bytes | goal | met |\n"
        + "| --- | --- | --- | --- | --- | --- | --- | --- |")
    for (name, seconds) in patches {
      var walls: [[Double]] = [[], [], []]
      for _ in 0..<(Self.repeats * rounds) {
        guard let one = wall([command(name, seconds, threads: 1, "one")]),
          let two = wall([command(name, seconds, threads: 2, "two")]),
          let both = wall(["one", "other"].map { command(name, seconds, threads: 1, $0) })
        else { return print("| \(name) | fails |") }
        for (index, time) in [one, two, both].enumerated() { walls[index].append(time) }
      }
      let gain = median(zip(walls[0], walls[1]).map { $0 / $1 })
      let machine = median(zip(walls[0], walls[2]).map { 2 * $0 / $1 })
      let isSame = FileManager.default.contentsEqual(atPath: path("one"), andPath: path("two"))
      let goal = Self.goal(machine)
      print(
        "| \(name.uppercased()) | \(fixed(median(walls[0]), 3)) s | \(fixed(median(walls[1]), 3)) s | "
          + "\(fixed(gain, 2)) | \(fixed(machine, 2)) | \(isSame ? "yes" : "no") | "
          + "\(fixed(goal, 2)) | \(gain >= goal && isSame ? "yes" : "no") |")
    }
    for name in ["one", "two", "other"] {
      try? FileManager.default.removeItem(atPath: path(name))
    }
  }

  private func path(_ name: String) -> String { "\(output)/threads-\(name).wav" }

  private func command(
    _ patch: String, _ seconds: Double, threads: Int, _ name: String
  ) -> [String] {
    [
      "render", "--quiet", "\(patches)/\(patch).json", "--threads", "\(threads)", "--duration",
      "\(seconds)", "--no-sync", "-o", path(name),
    ]
  }

  /// Seconds until all commands have ended, in the second of two runs, as in `PeerMeasurement`;
  /// `nil` if one fails.
  private func wall(_ commands: [[String]]) -> Double? {
    var time = 0.0
    for _ in 0..<2 {
      let begin = now()
      let programs = commands.compactMap { MeasuredProgram($0, program: patchrun) }
      let isDone = programs.map { $0.wait() }.allSatisfy { $0.status == 0 }
      guard isDone, programs.count == commands.count else { return nil }
      time = now() - begin
    }
    return time
  }
}
