public import AudioTypes

/// Routes the channels of a bus to other channels; a channel may go to several or to none.
///
/// It copies words without interpreting them, so that it works for every sample type.
public struct ChannelMapKernel: RenderKernel, ~Copyable {
  // The input channel for each channel of the output, or -1 for silence.
  private let map: DoubleStorage

  /// - Parameter map: The input channel for each channel of the output, or -1 for silence.
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
