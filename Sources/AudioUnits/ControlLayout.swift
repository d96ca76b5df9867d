public import AudioTypes
public import RenderCore

/// Which word of a unit's control block is which parameter, meter or live property.
///
/// The words of an element stand together: its parameters in the order of the description, then the
/// properties that the render side reads or writes, each with as many words as it has. The elements
/// of a scope follow each other.
public struct ControlLayout: Sendable {
  public let block: ControlBlock
  private let parameters: [Scope: [ParameterInfo]]
  private let properties: [Scope: [PropertyInfo]]
  private let bases: [Scope: Int]

  public init(_ description: UnitDescription, inputCount: Int, outputCount: Int) {
    let counts: [(Scope, Int)] = [(.global, 1), (.input, inputCount), (.output, outputCount)]
    var next = 0
    var bases: [Scope: Int] = [:]
    var parameters: [Scope: [ParameterInfo]] = [:]
    var properties: [Scope: [PropertyInfo]] = [:]
    for (scope, count) in counts {
      let list = description.parameters(in: scope)
      let live = description.properties.filter { $0.isLive && $0.scopes.contains(scope) }
      bases[scope] = next
      parameters[scope] = list
      properties[scope] = live
      next += count * (list.count + live.reduce(0) { $0 + $1.liveWords })
    }
    block = ControlBlock(count: next)
    self.bases = bases
    self.parameters = parameters
    self.properties = properties
    for (scope, count) in counts {
      for element in 0..<count {
        for (offset, info) in (parameters[scope] ?? []).enumerated() {
          block[base(scope, element: element) + offset] = info.defaultValue
        }
        for info in properties[scope] ?? [] {
          guard let word = info.defaultValue?.liveWord,
            let slot = slot(PropertyPlace(info.id, scope, element))
          else { continue }
          block[word: slot] = word
        }
      }
    }
  }

  /// The word of the first parameter of an element.
  public func base(_ scope: Scope, element: Int) -> Int {
    (bases[scope] ?? 0) + element * stride(scope)
  }

  /// Words from one element of a scope to the next.
  public func stride(_ scope: Scope) -> Int {
    (parameters[scope]?.count ?? 0) + (properties[scope] ?? []).reduce(0) { $0 + $1.liveWords }
  }

  /// The word of a parameter, or `nil` where the unit has none of that number there.
  public func slot(_ parameter: UInt32, _ scope: Scope, _ element: Int) -> Int? {
    guard let offset = parameters[scope]?.firstIndex(where: { $0.id == parameter }) else {
      return nil
    }
    return base(scope, element: element) + offset
  }

  /// The first word of a property that the render side reads or writes; `nil` for any other.
  public func slot(_ place: PropertyPlace) -> Int? {
    let list = properties[place.scope] ?? []
    guard let index = list.firstIndex(where: { $0.id == place.id }) else { return nil }
    return base(place.scope, element: place.element) + (parameters[place.scope]?.count ?? 0)
      + list[..<index].reduce(0) { $0 + $1.liveWords }
  }
}
