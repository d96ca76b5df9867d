import RenderCore

/// What lies between the output unit and a group of nodes that render in step.
struct PaceReach {
  /// The inputs that units pull at their own pace.
  private(set) var pulls = 0
  /// The seconds of these nodes in a second of the graph, at the initial speeds.
  private(set) var speed = 1.0

  /// What lies between, behind a further input.
  func behind(_ demand: PullDemand) -> PaceReach {
    var reach = self
    reach.pulls += 1
    reach.speed *= demand.speed
    return reach
  }
}
