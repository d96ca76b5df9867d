import Foundation

/// Measures patches of 10,000 parts and more, from the document to the first slice, and whether the
/// cost is linear. Runs the program itself.
func measureScale() {
  guard MeasuredProgram.path != nil else {
    print("build the program first: swift build -c release --product patchrun")
    return
  }
  let folder = "/tmp/patchrun-bench-\(getpid())"
  do {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try write(ScaleShape.partText, "\(folder)/\(ScaleShape.part)")
    print(
      "parts                    validate, ms       MB   of linear     render, ms       MB   of linear"
    )
    for shape in ScaleShape.allCases { try measure(shape, folder) }
  } catch {
    print("the measurement cannot be made: \(error)")
  }
}

private func measure(_ shape: ScaleShape, _ folder: String) throws {
  let file = "\(folder)/patch.json"
  let limits = ["bytes=1G", "nodes=1000000", "callbacks=1000000", "buses=1000000", "memory=8G"]
    .flatMap { ["--limit", $0] }
  // The costs of the next smaller size, validated and rendered.
  var before: (count: Int, costs: [Double])?
  for count in [10_000, 20_000, 50_000, 100_000] {
    try write(shape.text(count), file)
    var costs: [Double] = []
    var line = "  " + column("\(count) \(shape)", width: 20)
    for command in [
      ["validate"], ["render", "--quiet", "--duration", "0.0106", "-o", "\(folder)/out.wav"],
    ] {
      let runs = (0..<3).compactMap { _ in MeasuredProgram(command + limits + [file])?.wait() }
      guard runs.allSatisfy({ $0.status == 0 }) else { throw ScaleError(shape: shape) }
      costs.append(median(runs.map(\.processor)))
      let ratio = before.map {
        (costs[costs.count - 1] / $0.costs[costs.count - 1]) / (Double(count) / Double($0.count))
      }
      line += column(costs[costs.count - 1] * 1000, 0, width: 15)
      line += column(runs.map(\.memory).max() ?? 0, 0)
      line += column(ratio.map { fixed($0, 2) } ?? "", width: 12)
    }
    print(line)
    before = (count, costs)
  }
}

/// A correct patch was refused.
private struct ScaleError: Error {
  var shape: ScaleShape
}
