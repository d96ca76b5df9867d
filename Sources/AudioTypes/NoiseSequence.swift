/// Numbers that are like chance and the same in each run: SplitMix64 (Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators", 2014). Any of them can be had without the ones before.
package enum NoiseSequence {
  /// What the state grows by from one number to the next.
  @inlinable package static var step: UInt64 { @_noLocks get { 0x9E37_79B9_7F4A_7C15 } }

  /// The number that belongs to a state: every one of 64 bits is as good.
  @_noLocks
  @inlinable
  package static func number(_ state: UInt64) -> UInt64 {
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// The same as two even distributions one wide, added: -1 to 1, what dither is made of.
  @_noLocks
  @inlinable
  package static func triangle(_ state: UInt64) -> Double {
    let word = number(state)
    return Double((word & 0xFFFF_FFFF) + (word >> 32)) / 4_294_967_296 - 1
  }
}
