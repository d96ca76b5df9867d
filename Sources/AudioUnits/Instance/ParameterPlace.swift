public import AudioTypes

/// A parameter on one element.
public struct ParameterPlace: Hashable, Sendable {
  public var id: UInt32
  public var scope: Scope
  public var element: Int

  public init(_ id: UInt32, _ scope: Scope, _ element: Int) {
    self.id = id
    self.scope = scope
    self.element = element
  }
}
