/// A job other than rendering: the rendering threads share it between two pieces of a slice, or one
/// of them does it beside the rendering.
public protocol CrewJob: AnyObject, Sendable {
  /// Takes and does pieces of the job until none is left. Called by several threads at once where
  /// they share the job.
  func work()
}
