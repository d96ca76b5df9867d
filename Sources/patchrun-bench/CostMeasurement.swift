import Glibc
import PatchGraph
import PatchSyntax
import TestSupport

/// The greatest allowed cost ratio for twice the size: linear or n log n.
private let greatestRatio = 2.2

/// Measures reading and checking patches of n and 2n parts, for each shape: processor time and heap
/// calls in this process, and the peak memory of `patchrun validate`, if it has been built beside
/// this program. Marks a ratio above 2.2, which is more than n log n.
func measureCosts() {
  print(
    "shape".padded(to: 22) + column("n") + column("CPU, ms") + column("ratio", width: 7)
      + column("heap calls", width: 12) + column("ratio", width: 7) + column("heap, KB", width: 11)
      + column("ratio", width: 7) + column("peak, MB"))
  for shape in CostShape.allCases {
    let count = shape.usualCount * 10
    let (small, large) = (cost(of: shape, count), cost(of: shape, 2 * count))
    let ratios = [
      large.seconds / max(small.seconds, 1e-9), Double(large.calls) / Double(max(small.calls, 1)),
      Double(large.bytes) / Double(max(small.bytes, 1)),
    ]
    // Time is noisy, so only heap calls and bytes decide.
    let isTooMuch = ratios[1] > greatestRatio || ratios[2] > greatestRatio
    print(
      shape.rawValue.padded(to: 22) + column("\(2 * count)") + column(large.seconds * 1e3)
        + column(ratios[0], 2, width: 7) + column("\(large.calls)", width: 12)
        + column(ratios[1], 2, width: 7) + column("\(large.bytes >> 10)", width: 11)
        + column(ratios[2], 2, width: 7) + column(peak(of: shape, 2 * count))
        + (isTooMuch ? "  more than n log n" : ""))
  }
}

private func cost(
  of shape: CostShape, _ count: Int
) -> (seconds: Double, calls: Int, bytes: Int) {
  let bytes = Array(shape.text(count).utf8)
  func check() {
    _ = PatchBuilder.build(
      PatchReader.read(bytes: bytes, name: "patch.json"), directory: "",
      device: .assumed(HardwareAssumption()))
  }
  check()
  var times: [Double] = []
  for _ in 0..<3 {
    let start = processorTime()
    check()
    times.append(processorTime() - start)
  }
  let heap = heapCost(during: check)
  return (median(times), heap.calls, heap.bytes)
}

/// The peak memory in MB; 0 if the program has not been built.
private func peak(of shape: CostShape, _ count: Int) -> Double {
  let path = "/tmp/patchrun-bench-\(getpid()).json"
  let text = Array(shape.text(count).utf8)
  let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  guard file >= 0 else { return 0 }
  defer { close(file) }
  guard unsafe write(file, text, text.count) == text.count else { return 0 }
  defer { _ = unsafe unlink(path) }
  return MeasuredProgram(["validate", path])?.wait().memory ?? 0
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
