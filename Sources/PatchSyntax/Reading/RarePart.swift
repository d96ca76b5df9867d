/// A value that few have, in an object of its own, so that its absence takes one word.
struct RarePart<Value: Sendable>: Sendable {
  private final class Box: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private var box: Box?

  var value: Value? {
    get { box?.value }
    set { box = newValue.map { Box($0) } }
  }

  var isAbsent: Bool { box == nil }
}
