/// Pseudorandom numbers, the same in each run: SplitMix64 (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", 2014). Each number is computed from its own state, without the
/// numbers before it.
package enum NoiseSequence {
  /// The increment of the state from one number to the next.
  @inlinable package static var step: UInt64 { @_noLocks get { 0x9E37_79B9_7F4A_7C15 } }

  /// The number for a state: all 64 bits are equally good.
  @_noLocks
  @inlinable
  package static func number(_ state: UInt64) -> UInt64 {
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// The sum of two uniform distributions of width 1, from -1 to 1: the noise of a dither.
  @_noLocks
  @inlinable
  package static func triangle(_ state: UInt64) -> Double {
    let word = number(state)
    return Double((word & 0xFFFF_FFFF) + (word >> 32)) / 4_294_967_296 - 1
  }
}
