public import AudioTypes

/// Hands the channels of a bus on in another order, some more than once, some not at all.
///
/// Samples are words that it does not look at, so that it goes for a bus of any format.
public struct ChannelMapKernel: RenderKernel, ~Copyable {
  // For each channel of the output the input's, or -1 for silence.
  private let map: DoubleStorage

  /// - Parameter map: For each channel of the output the input's, or -1 for silence.
  public init(map: [Int]) { self.map = DoubleStorage(map.map(Double.init)) }

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    let input = context.input(0)
    let output = context.output(0)
    guard output.channelCount == map.count else { return .formatNotSupported }
    for channel in 0..<output.channelCount {
      let source = Int(map[channel])
      if source >= 0, source < input.channelCount {
        output[channel].copy(from: input[source])
      } else {
        output[channel].clear()
      }
    }
    if input.isSilent { output.markSilent() }
    return .ok
  }
}
