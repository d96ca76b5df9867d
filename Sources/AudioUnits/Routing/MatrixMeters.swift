internal import RenderCore

/// The meters of the matrix mixer: of each input and output channel, before its volume and behind
/// it.
///
/// They are `LevelMeters`, in blocks that are counted from the first frame of all. A bus without
/// metering reads silence and costs nothing.
struct MatrixMeters: ~Copyable {
  private let controls: MatrixControls
  private let levels: LevelMeters
  private let inputCount: Int
  private let outputCount: Int
  // For each channel, the outputs' after the inputs', whether it is measured.
  private let states: StateStorage<State>
  private var running = 0
  private var framesUntilBlock = LevelMeters.blockLength

  struct State: BitwiseCopyable {
    var isOn = false
    /// Whether it has never been turned on or off.
    var isFresh = true
  }

  // MARK: Control thread

  init(inputCount: Int, outputCount: Int, sampleRate: Double, controls: MatrixControls) {
    self.controls = controls
    self.inputCount = inputCount
    self.outputCount = outputCount
    levels = LevelMeters(count: 2 * (inputCount + outputCount), sampleRate: sampleRate)
    states = StateStorage(repeating: State(), count: inputCount + outputCount)
  }

  // MARK: Render thread

  /// Whether anything is measured.
  var isAnyRunning: Bool { @_noLocks get { running > 0 } }

  /// Frames to the end of the block, after `done` frames of the slice.
  @_noLocks
  func framesToBlock(after done: Int) -> Int {
    let place = (LevelMeters.blockLength - framesUntilBlock + done) % LevelMeters.blockLength
    return LevelMeters.blockLength - place
  }

  @_noLocks
  func isRunning(input channel: Int) -> Bool { states[channel].isOn }

  @_noLocks
  func isRunning(output channel: Int) -> Bool { states[inputCount + channel].isOn }

  /// Turns a channel's meters on or off; they begin at silence.
  @_noLocks
  mutating func turn(input channel: Int, on isOn: Bool) {
    turn(channel, isOn, at: MatrixControls.meters(false, channel))
  }

  @_noLocks
  mutating func turn(output channel: Int, on isOn: Bool) {
    turn(inputCount + channel, isOn, at: MatrixControls.meters(true, channel))
  }

  @_noLocks
  private mutating func turn(_ index: Int, _ isOn: Bool, at words: Int) {
    guard states[index].isFresh || states[index].isOn != isOn else { return }
    states[index].isFresh = false
    if states[index].isOn { running -= 1 }
    if isOn { running += 1 }
    states[index].isOn = isOn
    levels.reset(2 * index)
    levels.reset(2 * index + 1)
    let first = controls.measured + words
    for word in 0..<4 {
      controls.access.note(LevelMeters.floor.bitPattern, at: first + word)
      controls.access.note(0, at: first + 4 + word)
    }
  }

  /// Measures a stretch of an input's channel, which does not go past the end of a block.
  @_noLocks
  func measure(input channel: Int, _ samples: ChannelBuffer, isBehind: Bool, endsBlock: Bool) {
    measure(2 * channel + (isBehind ? 1 : 0), samples, endsBlock)
  }

  /// Measures a stretch of an output's channel, which does not go past the end of a block.
  @_noLocks
  func measure(output channel: Int, _ samples: ChannelBuffer, isBehind: Bool, endsBlock: Bool) {
    measure(2 * (inputCount + channel) + (isBehind ? 1 : 0), samples, endsBlock)
  }

  @_noLocks
  private func measure(_ meter: Int, _ samples: ChannelBuffer, _ endsBlock: Bool) {
    levels.measure(samples, as: meter)
    if endsBlock { levels.endBlock(meter) }
  }

  /// Counts a slice's frames, and publishes the meters if a block has ended in it.
  @_noLocks
  mutating func count(_ frameCount: Int) {
    let hasEnded = frameCount >= framesUntilBlock
    framesUntilBlock -= frameCount % LevelMeters.blockLength
    if framesUntilBlock <= 0 { framesUntilBlock += LevelMeters.blockLength }
    guard hasEnded, running > 0 else { return }
    for channel in 0..<inputCount where states[channel].isOn {
      publish(channel, at: MatrixControls.meters(false, channel))
    }
    for channel in 0..<outputCount where states[inputCount + channel].isOn {
      publish(inputCount + channel, at: MatrixControls.meters(true, channel))
    }
  }

  @_noLocks
  private func publish(_ index: Int, at words: Int) {
    let first = controls.measured + words
    for side in 0..<2 {
      let meter = 2 * index + side
      let place = first + 2 * side
      controls.access.note(levels.average(meter).bitPattern, at: place)
      controls.access.note(levels.peak(meter).bitPattern, at: place + 1)
      controls.access.note(levels.linearAverage(meter).bitPattern, at: place + 4)
      controls.access.note(levels.linearPeak(meter).bitPattern, at: place + 5)
    }
  }
}
