public import AudioTypes

/// Pulls its input 0 in step with the plan around it, at another rate. It has no output: for a bus
/// that only a tap observes.
public struct PacedPull: RenderKernel, ~Copyable {
  private let ratio: Double
  private var rendered = 0
  private var pulled = 0

  /// - Parameter ratio: Frames of the input for each frame of the plan.
  public init(ratio: Double) {
    precondition(ratio > 0 && ratio.isFinite, "a rate is over 0")
    self.ratio = ratio
  }

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    rendered += context.frameCount
    let end = Int(Double(rendered) * ratio)
    let limit = context.pullLimit(0)
    while pulled < end {
      let rest = end - pulled
      let length = rest < limit ? rest : limit
      let status = context.pull(
        0, frameCount: length, at: TimeStamp(sampleTime: Double(pulled)))
      guard status == .ok else { return status }
      pulled += length
    }
    return .ok
  }
}
