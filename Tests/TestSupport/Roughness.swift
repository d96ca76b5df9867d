/// The largest second difference. It is at least the height of a step, and almost 0 for a sine.
public func roughness(_ samples: some Collection<Float>) -> Double {
  let samples = Array(samples)
  guard samples.count > 2 else { return 0 }
  var greatest = 0.0
  for index in 1..<samples.count - 1 {
    let before = Double(samples[index - 1])
    let after = Double(samples[index + 1])
    greatest = max(greatest, abs(before - 2 * Double(samples[index]) + after))
  }
  return greatest
}
