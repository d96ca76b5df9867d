/// Hashes a number by one multiplication, whose upper half is well distributed. For numbers that no
/// user chooses: it does not resist collisions made on purpose.
package func multiplicativeHash(_ number: UInt64, _ seed: Int) -> Int {
  let product = (number &+ UInt64(bitPattern: Int64(seed))) &* 0x9E37_79B9_7F4A_7C15
  return Int(truncatingIfNeeded: product ^ product >> 32)
}

/// Hashes a number so that numbers in a row have places in a row: a pass over all nodes then looks a
/// table up in the order of its memory, and no two of the numbers collide. For numbers that are given
/// in a row: it does not resist collisions made on purpose.
package func denseHash(_ number: UInt64, _ seed: Int) -> Int {
  // The upper bits count too, for what is left of many numbers.
  Int(truncatingIfNeeded: number ^ number >> 10 ^ number >> 20) &+ seed
}

/// The number a graph gives to a node (`AUNode`): from 1 up, in the order of addition.
public struct NodeID: RawRepresentable, Hashable, Comparable, Sendable {
  public var rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  /// Compares by the order of addition.
  public static func < (left: NodeID, right: NodeID) -> Bool { left.rawValue < right.rawValue }

  /// Graphs of many nodes spend much time in look-ups. A graph chooses the numbers, so that a fast
  /// hash is safe.
  public func _rawHashValue(seed: Int) -> Int {
    denseHash(UInt64(UInt32(bitPattern: rawValue)), seed)
  }
}
