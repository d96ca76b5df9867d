/// The samples that were clipped at full scale.
public struct Clipping: Hashable, Sendable {
  /// The number of samples.
  public var sampleCount: Int
  /// The first frame with one.
  public var firstFrame: Int
}
