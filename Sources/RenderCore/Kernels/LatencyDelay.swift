public import AudioTypes

/// Delays a bus by a number of frames, to align a path with others.
///
/// Samples pass bit for bit. A new delay takes effect once enough frames have been received for it:
/// a bus of floats crossfades in 10 ms, with gains that add up to 1; a bus of words switches at
/// once.
public struct LatencyDelay: RenderKernel, ~Copyable {
  // `capacity` words for each channel, as a ring.
  private let memory: SampleStorage
  private let channelCount: Int
  private let capacity: Int
  private let fadeLength: Int
  private let controls: ControlAccess
  private var delay: Int
  private var next = 0
  /// Frames received, up to the capacity.
  private var received: Int
  private var place = 0
  private var fadePosition = 0

  // MARK: Control thread

  /// - Parameters:
  ///   - capacity: The longest possible delay in frames, plus 1.
  ///   - controls: Word 0 is the delay in frames, below the capacity.
  ///   - startsDelayed: Whether it starts with that delay, filled with silence, as at the start of
  ///     a graph; otherwise it starts with a delay of 0.
  ///   - fadeLength: The length of the crossfade in frames; 0 to switch at once.
  public init(
    channelCount: Int, capacity: Int, controls: ControlAccess, startsDelayed: Bool, fadeLength: Int
  ) {
    precondition(channelCount > 0 && capacity > 0, "a delay has room")
    memory = SampleStorage(repeating: 0, count: channelCount * capacity)
    self.channelCount = channelCount
    self.capacity = capacity
    self.fadeLength = fadeLength
    self.controls = controls
    delay = startsDelayed ? min(Int(controls[word: 0]), capacity - 1) : 0
    received = startsDelayed ? capacity : 0
    next = delay
  }

  // MARK: Render thread

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    let input = context.input(0)
    let output = context.output(0)
    guard input.channelCount == channelCount, output.channelCount == channelCount else {
      return .formatNotSupported
    }
    let wanted = Int(controls[word: 0])
    var done = 0
    while done < context.frameCount {
      // A piece ends where a fade begins or ends, and is at most a ring long, so that it reads
      // before it overwrites.
      if next == delay, wanted != delay, wanted < capacity, received >= wanted {
        next = wanted
        fadePosition = 0
        if fadeLength == 0 { delay = next }
      }
      var length = context.frameCount - done
      if length > capacity { length = capacity }
      if wanted != delay, next == delay, received < wanted, wanted - received < length {
        length = wanted - received
      }
      if next != delay, fadeLength - fadePosition < length { length = fadeLength - fadePosition }
      for channel in 0..<channelCount {
        render(
          input[channel].dropping(done).prefix(length),
          into: output[channel].dropping(done).prefix(length), first: channel * capacity)
      }
      place = (place + length) % capacity
      received = received + length > capacity ? capacity : received + length
      if next != delay {
        fadePosition += length
        if fadePosition == fadeLength { delay = next }
      }
      done += length
    }
    return .ok
  }

  @_noLocks
  private func render(_ input: ChannelBuffer, into output: ChannelBuffer, first: Int) {
    let isFading = next != delay
    var write = place
    var read = place - delay
    if read < 0 { read += capacity }
    var other = place - next
    if other < 0 { other += capacity }
    for frame in input.indices {
      memory[first + write] = input[frame]
      var sample = memory[first + read]
      if isFading {
        let x = Float(fadePosition + frame + 1) / Float(fadeLength)
        sample += (memory[first + other] - sample) * (x * x * (3 - 2 * x))
      }
      output[frame] = sample
      write = write + 1 == capacity ? 0 : write + 1
      read = read + 1 == capacity ? 0 : read + 1
      other = other + 1 == capacity ? 0 : other + 1
    }
  }
}
