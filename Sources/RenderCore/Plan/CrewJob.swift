/// A job other than rendering that the rendering threads share between two pieces of a slice.
public protocol CrewJob: AnyObject, Sendable {
  /// Takes and does pieces of the job until none is left. Called by several threads at once.
  func work()
}
