/// The samples of a file that were beyond full scale.
public struct Clipping: Hashable, Sendable {
  /// How many.
  public var sampleCount: Int
  /// The first frame that has one.
  public var firstFrame: Int
}
