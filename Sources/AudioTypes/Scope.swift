/// A part of a unit with properties and parameters of its own. The raw values are Core Audio's.
public enum Scope: UInt32, CaseIterable, Hashable, Sendable, BitwiseCopyable {
  case global = 0
  case input = 1
  case output = 2

  /// There are three: a fast hash is safe.
  public func _rawHashValue(seed: Int) -> Int { multiplicativeHash(UInt64(rawValue), seed) }
}

extension Scope: CustomStringConvertible {
  public var description: String {
    switch self {
    case .global: "global"
    case .input: "input"
    case .output: "output"
    }
  }
}
