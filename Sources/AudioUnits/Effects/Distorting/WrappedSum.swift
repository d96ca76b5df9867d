internal import RenderCore

/// The phase after `count` additions of `step`, each rounded, with whole turns taken away after
/// each.
///
/// Sums between two neighbouring powers of two are rounded to one grid, so that each addition there
/// changes the phase by the same amount: all of them are one multiplication, which is exact. Only
/// where a step lies in the middle of two points of the grid does the rounding alternate.
@_noLocks
func wrappedSum(_ phase: Double, by step: Double, count: Int) -> Double {
  var phase = phase
  var left = count
  while left > 0 {
    var next = phase + step
    left -= 1
    if next >= 1 {
      phase = next - renderFloor(next)
      continue
    }
    let rise = next - phase
    // The steps are too small to change the phase.
    if rise == 0 { return next }
    let exponent = phase.bitPattern & 0x7FF0_0000_0000_0000
    if left > 0, phase > 1e-200, step > 0,
      exponent == next.bitPattern & 0x7FF0_0000_0000_0000
    {
      let power = Double(bitPattern: exponent)
      let grid = power * 0x1p-52
      if (step - rise).magnitude * 2 != grid {
        // One less than fit below the next power, because the quotient is rounded.
        let fitting = Int((2 * power - grid - next) / rise) - 1
        let steps = fitting < left ? fitting : left
        if steps > 0 {
          next += Double(steps) * rise
          left -= steps
        }
      }
    }
    phase = next
  }
  return phase
}
