/// A job that the rendering threads share, apart from rendering.
public protocol CrewErrand: AnyObject, Sendable {
  /// Takes and does pieces of the job until none is left. Called by several threads at once.
  func work()
}
