/// The buses of a row, by their index in the plan. Most rows have one on each side, which takes no
/// memory of its own.
public struct BusList: RandomAccessCollection, ExpressibleByArrayLiteral, Sendable {
  /// The only bus, where `several` is `nil`.
  private var only = 0
  private var several: [Int]?

  /// No bus.
  public init() { several = [] }

  /// One bus.
  public init(_ bus: Int) { only = bus }

  /// Some buses, in order.
  public init(_ buses: [Int]) {
    if buses.count == 1 { only = buses[0] } else { several = buses }
  }

  /// Some buses, in order.
  public init(arrayLiteral buses: Int...) { self.init(buses) }

  /// Adds a bus behind the others.
  public mutating func append(_ bus: Int) {
    if isEmpty {
      self = BusList(bus)
    } else if several == nil {
      several = [only, bus]
    } else {
      several?.append(bus)
    }
  }

  /// Always 0.
  public var startIndex: Int { 0 }

  /// The number of buses.
  public var endIndex: Int { several?.count ?? 1 }

  /// A bus by its place.
  public subscript(index: Int) -> Int {
    guard let several else {
      precondition(index == 0, "a row has so many buses")
      return only
    }
    return several[index]
  }
}
