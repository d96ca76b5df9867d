public import AudioTypes

/// A parameter on one element.
public struct ParameterPlace: Hashable, Sendable {
  /// The parameter's number.
  public var id: UInt32
  /// The scope that has the parameter.
  public var scope: Scope
  /// The element of the scope, from 0.
  public var element: Int

  public init(_ id: UInt32, _ scope: Scope, _ element: Int) {
    self.id = id
    self.scope = scope
    self.element = element
  }
}
