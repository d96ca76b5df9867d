/// A part of a unit with properties and parameters of its own. The raw values are Core Audio's.
public enum Scope: UInt32, CaseIterable, Hashable, Sendable, BitwiseCopyable {
  case global = 0
  case input = 1
  case output = 2
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
