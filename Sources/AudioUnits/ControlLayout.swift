public import AudioTypes
public import RenderCore
import Synchronization

/// The positions of parameters, meters and live properties in a unit's control block.
///
/// The words of an element are adjacent: its parameters in the order of the description, then the
/// properties that the render side reads or writes. The elements of a scope follow each other.
public struct ControlLayout: Sendable {
  /// The control block, made with the initial values.
  public let block: ControlBlock
  private let map: ControlMap
  private let inputBase: Int
  private let outputBase: Int

  /// Makes the control block of a unit with these numbers of elements.
  public init(_ description: UnitDescription, inputCount: Int, outputCount: Int) {
    self.init(ControlMap(description), inputCount: inputCount, outputCount: outputCount)
  }

  init(_ map: ControlMap, inputCount: Int, outputCount: Int) {
    self.map = map
    inputBase = map.global.initial.count
    outputBase = inputBase + inputCount * map.input.initial.count
    block = ControlBlock(map.initialWords(inputCount: inputCount, outputCount: outputCount))
  }

  /// The word of the first parameter of an element.
  public func base(_ scope: Scope, element: Int) -> Int {
    let first =
      switch scope {
      case .global: 0
      case .input: inputBase
      case .output: outputBase
      }
    return first + element * stride(scope)
  }

  /// Words from one element of a scope to the next.
  public func stride(_ scope: Scope) -> Int { map.look(scope) { $0.initial.count } }

  /// The word of a parameter; `nil` where the scope has no such parameter.
  public func slot(_ parameter: UInt32, _ scope: Scope, _ element: Int) -> Int? {
    map.place(parameter, scope).map { base(scope, element: element) + $0 }
  }

  /// The range of a parameter in the description; `nil` where the scope has no such parameter.
  func range(_ parameter: UInt32, _ scope: Scope) -> ClosedRange<Float>? {
    map.look(scope) { element in
      element.parameters.firstIndex(of: parameter).map { element.ranges[$0] }
    }
  }

  /// The first word of a property that the render side reads or writes; `nil` for any other.
  public func slot(_ place: PropertyPlace) -> Int? {
    map.place(place.id, place.scope).map { base(place.scope, element: place.element) + $0 }
  }
}

/// The words of one element of each scope of a unit.
final class ControlMap: Sendable {
  struct Element: Sendable {
    /// The parameters, one word each, from the first word on.
    var parameters: [UInt32] = []
    /// Their ranges.
    var ranges: [ClosedRange<Float>] = []
    /// The live properties, which follow the parameters, and the first word of each.
    var properties: [(id: PropertyID, offset: Int)] = []
    /// The initial values of the words.
    var initial: [UInt32] = []

    init(_ description: UnitDescription, _ scope: Scope) {
      for info in description.parameters(in: scope) {
        parameters.append(info.id)
        ranges.append(info.range)
        initial.append(info.defaultValue.bitPattern)
      }
      for info in description.properties where info.isLive && info.scopes.contains(scope) {
        properties.append((info.id, initial.count))
        var words = [UInt32](repeating: 0, count: info.liveWords)
        if let word = info.defaultValue?.liveWord, !words.isEmpty { words[0] = word }
        for (index, word) in info.initialWords.enumerated() { words[index] = word }
        if case .rows(let most) = info.kind {
          // The volumes: the last row and the last column.
          for index in 0...most {
            words[1 + index * (most + 1) + most] = Float(1).bitPattern
            words[1 + most * (most + 1) + index] = Float(1).bitPattern
          }
        }
        initial += words
      }
    }
  }

  let global: Element
  let input: Element
  let output: Element
  /// The words that were asked for last: units in a row often have as many elements.
  private let last = Mutex<(inputCount: Int, outputCount: Int, words: [UInt32])>((-1, -1, []))

  init(_ description: UnitDescription) {
    global = Element(description, .global)
    input = Element(description, .input)
    output = Element(description, .output)
  }

  /// The word of a parameter, counted from the first word of its element; `nil` where the scope has
  /// no such parameter.
  func place(_ parameter: UInt32, _ scope: Scope) -> Int? {
    look(scope) { $0.parameters.firstIndex(of: parameter) }
  }

  /// The first word of a live property, counted from the first word of its element; `nil` for any
  /// other.
  func place(_ property: PropertyID, _ scope: Scope) -> Int? {
    look(scope) { $0.properties.first { $0.id == property }?.offset }
  }

  /// The initial values of the words of a unit with so many elements.
  func initialWords(inputCount: Int, outputCount: Int) -> [UInt32] {
    last.withLock { last in
      guard last.inputCount != inputCount || last.outputCount != outputCount else {
        return last.words
      }
      var words = global.initial
      for _ in 0..<inputCount { words += input.initial }
      for _ in 0..<outputCount { words += output.initial }
      last = (inputCount, outputCount, words)
      return words
    }
  }

  /// Looks at the words of an element, without a copy of them.
  func look<Result>(_ scope: Scope, _ body: (borrowing Element) -> Result) -> Result {
    switch scope {
    case .global: body(global)
    case .input: body(input)
    case .output: body(output)
    }
  }
}
