/// What threads that render together do beside it.
public protocol CrewErrand: AnyObject, Sendable {
  /// Takes pieces of it and does them, until all have been taken. Several threads at once.
  func work()
}
