import AudioTypes
import RenderCore

/// Converts sample types and channels at equal rates. Reads and writes bus words, so that a value
/// that both formats can hold stays as it is.
struct FormatKernel: RenderKernel, ~Copyable {
  private let input: SampleType
  private let rounding: DitheredRounding
  private let route: ChannelRoute

  init(from input: StreamFormat, to output: StreamFormat, _ dither: BusDither, route: [Int]) {
    self.input = input.sampleType ?? .float32
    rounding = DitheredRounding(dither, to: output)
    self.route = ChannelRoute(route)
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let source = context.input(0)
    let sink = context.output(0)
    let isSilent = source.isSilent && rounding.isResting
    for channel in 0..<sink.channelCount {
      let from = route[channel]
      if from < 0 {
        sink[channel].clear()
      } else {
        rounding.convert(source[from], of: input, into: sink[channel], channel: channel)
      }
    }
    if isSilent { sink.markSilent() }
    return .ok
  }
}
