/// A change of a parameter within one render cycle: Core Audio's `AudioUnitParameterEvent`.
///
/// Offsets are in frames from the beginning of the cycle, the slice that the graph renders between
/// its pre-render and its post-render notification.
public struct ParameterEvent: Hashable, Sendable, BitwiseCopyable {
  /// How the parameter changes within the cycle.
  public enum Change: Hashable, Sendable, BitwiseCopyable {
    /// The parameter is set at a frame; the unit smooths it as any other change.
    case immediate(bufferOffset: UInt32, value: Float)
    /// The parameter is `start + i * (end - start) / duration` in frame `i` of the ramp, and `end`
    /// after it. The ramp may have begun in an earlier cycle: its offset is negative then. A duration
    /// of 0 is a step to the end value.
    case ramp(
      startBufferOffset: Int32, durationInFrames: UInt32, startValue: Float, endValue: Float)
  }

  /// The parameter's number.
  public var parameter: UInt32
  /// The scope that has the parameter.
  public var scope: Scope
  /// The element of the scope, from 0.
  public var element: Int
  /// How it changes.
  public var change: Change

  public init(_ parameter: UInt32, _ scope: Scope = .global, _ element: Int = 0, _ change: Change) {
    self.parameter = parameter
    self.scope = scope
    self.element = element
    self.change = change
  }
}

/// The shape of a ramp.
public enum RampCurve: String, Hashable, CaseIterable, Sendable, SettingWord {
  /// A straight line.
  case linear
  /// The same factor in each frame, which matches the perception of loudness and pitch. Linear if
  /// the two ends do not have the same sign when the ramp begins.
  case exponential

  package var summary: String {
    switch self {
    case .linear: "A straight line."
    case .exponential:
      """
      By the same factor in each frame, as loudness and pitch are heard: both ends are above \
      0, or both below.
      """
    }
  }
}
