import RenderCore

/// Counts the cycles of a steady frequency, without drift.
///
/// Where frequency and rate have at most six decimals, as they do in a patch, the phase is counted
/// in whole numbers, and a period of whole frames repeats exactly. Otherwise it is counted in 2^-64
/// of a cycle; the only error is the rounding of the frequency to a `Double`, at worst two
/// millionths of a cycle after a week.
struct PhaseCounter {
  /// The parts of a cycle; 0 for 2^64.
  private var parts: UInt64
  private var step: UInt64
  private var position: UInt64 = 0

  init(frequency: Double, sampleRate: Double) {
    var scale = 1.0
    while scale <= 1e6 {
      let step = frequency * scale
      let parts = sampleRate * scale
      if step == step.rounded() && parts == parts.rounded() && parts < 0x1p53 {
        self.step = UInt64(step)
        self.parts = UInt64(parts)
        return
      }
      scale *= 10
    }
    parts = 0
    step = UInt64(frequency / sampleRate * 0x1p64)
  }

  /// The phase of the next frame, in 2^-64 of a cycle.
  var phase: UInt64 {
    @_noLocks get {
      parts == 0 ? position : UInt64(Double(position) / Double(parts) * 0x1p64)
    }
    @_noLocks set {
      if parts == 0 {
        position = newValue
      } else {
        position = UInt64(Double(newValue >> 11) * 0x1p-53 * Double(parts) + 0.5)
        if position >= parts { position = 0 }
      }
    }
  }

  /// Goes on with another frequency from the present phase.
  ///
  /// - Parameter cyclesPerFrame: From 0 to 1/2.
  @_noLocks
  mutating func retune(to cyclesPerFrame: Double) {
    if parts != 0 {
      position = phase
      parts = 0
    }
    step = UInt64(cyclesPerFrame * 0x1p64)
  }

  /// Returns the phase of the next frame, from 0 to less than 1 cycle, and advances.
  @_noLocks
  mutating func next() -> Double {
    if parts == 0 {
      let phase = Double(position >> 11) * 0x1p-53
      position &+= step
      return phase
    }
    let phase = Double(position) / Double(parts)
    position += step
    if position >= parts { position -= parts }
    return phase
  }
}

/// The sine of a phase in cycles, from 0 to less than 1. Each quarter is computed from its own end,
/// so that the zeros and the peaks are exact.
@_noLocks
func sine(cycles: Double) -> Double {
  let quarters = cycles * 4
  let quarter = Int(quarters)
  let angle = (quarters - Double(quarter)) * (Double.pi / 2)
  switch quarter {
  case 0: return renderSine(angle)
  case 1: return renderCosine(angle)
  case 2: return -renderSine(angle)
  default: return -renderCosine(angle)
  }
}
