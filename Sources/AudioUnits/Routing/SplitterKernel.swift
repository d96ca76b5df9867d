internal import AudioTypes
internal import RenderCore

/// Copies the input to each output, in the words of its format.
struct SplitterKernel: RenderKernel {
  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let input = context.input(0)
    for element in 0..<context.outputCount {
      let output = context.output(element)
      guard output.channelCount == input.channelCount else { return .formatNotSupported }
      if input.isSilent {
        output.silence()
        continue
      }
      for channel in 0..<output.channelCount { output[channel].copy(from: input[channel]) }
    }
    return .ok
  }
}

/// Puts the channels of all inputs on one output, those of input 0 first, in the words of their
/// format.
struct MergerKernel: RenderKernel {
  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    var first = 0
    var isSilent = true
    for element in 0..<context.inputCount {
      let input = context.input(element)
      guard first + input.channelCount <= output.channelCount else { return .formatNotSupported }
      isSilent = isSilent && input.isSilent
      for channel in 0..<input.channelCount {
        output[first + channel].copy(from: input[channel])
      }
      first += input.channelCount
    }
    guard first == output.channelCount else { return .formatNotSupported }
    if isSilent { output.markSilent() }
    return .ok
  }
}
