public import AudioTypes

/// Runs its input 0 in step with the plan around it, at another rate, and puts nothing out: for what
/// is only watched.
public struct PacedPull: RenderKernel, ~Copyable {
  private let ratio: Double
  private var pulled = 0

  /// - Parameter ratio: Frames of the input for each frame of the plan.
  public init(ratio: Double) {
    precondition(ratio > 0 && ratio.isFinite, "a rate is over 0")
    self.ratio = ratio
  }

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    if context.timeStamp.sampleTime == 0 { pulled = 0 }
    let end = (context.timeStamp.sampleTime + Double(context.frameCount)) * ratio
    let limit = context.pullLimit(0)
    while pulled < Int(end) {
      let rest = Int(end) - pulled
      let length = rest < limit ? rest : limit
      let status = context.pull(
        0, frameCount: length, at: TimeStamp(sampleTime: Double(pulled)))
      guard status == .ok else { return status }
      pulled += length
    }
    return .ok
  }
}
