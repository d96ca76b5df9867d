import AudioTypes
import RenderCore

/// A converter between equal rates: sample types and channels. Reads and writes bus words, so that a
/// value which both formats can hold stays as it is.
struct FormatKernel: RenderKernel, ~Copyable {
  private let input: SampleType
  private let output: SampleType
  private let route: ChannelRoute

  init(from input: SampleType, to output: SampleType, route: [Int]) {
    self.input = input
    self.output = output
    self.route = ChannelRoute(route)
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let source = context.input(0)
    let sink = context.output(0)
    for channel in 0..<sink.channelCount {
      let from = route[channel]
      if from < 0 {
        sink[channel].clear()
      } else {
        SampleCoding.convert(source[from], of: input, into: sink[channel], as: output)
      }
    }
    if source.isSilent { sink.markSilent() }
    return .ok
  }
}
