import AudioTypes
import RenderCore

/// Retains the clock of the source that a kernel replaces.
final class FileOrigin: Sendable {
  private let clock: SourceClock?

  init(_ before: SourceContinuation?) { clock = before?.clock }
}

// MARK: - Render thread

struct FileKernel: RenderKernel {
  /// Where the frames come from.
  enum Origin: BitwiseCopyable {
    /// A service reads them ahead.
    case ring(FrameRingAccess)
    /// They are in memory, and the part begins at the frame `first` of the file. Nothing of it is ever late.
    case stored(StoredFramesAccess, first: Int)
  }

  private let origin: Origin
  private let lost: ControlAccess
  /// The first frame of the ring to which this kernel applies the gain, plus 1; 0 for none.
  private let unscaled: CounterAccess
  /// The gain that the service has applied to the frames before that.
  private let baked: Double
  private var gain: GlidingControl
  private var loop: GlidingControl
  private let sample: SampleType
  private let passes: FilePasses
  private var pass: Int
  /// Where the pass ends.
  private var passEnd: Int
  /// Below 0 until the file begins.
  private var position: Int
  /// Frames since the sound began, including those after its end.
  private var elapsed = 0
  /// Frames that were not ready in time, and are discarded when they come: later frames are heard
  /// when they are due, and files that play side by side stay together.
  private var late = 0
  private let clock: SourceClockAccess
  private let before: SourceClockAccess?
  private var hasBegun = false

  init(
    origin: Origin, lost: ControlAccess, unscaled: CounterAccess, baked: Double,
    gain: GlidingControl, loop: GlidingControl, sample: SampleType, passes: FilePasses,
    start: FilePasses.Start, clock: SourceClockAccess, before: SourceClockAccess?
  ) {
    self.origin = origin
    self.lost = lost
    self.unscaled = unscaled
    self.baked = baked
    self.gain = gain
    self.loop = loop
    self.sample = sample
    self.passes = passes
    pass = passes.pass(at: start.frame)
    passEnd = passes.end(passes.pass(at: start.frame))
    position = start.position
    self.clock = clock
    self.before = before
  }

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    let time = context.timeStamp.sampleTime
    if !hasBegun { begin(at: time) }
    gain.follow()
    loop.follow()
    let loops = loop.goal != 0
    if loops && position == passEnd { nextPass() }
    let rest = passEnd - position
    let wanted = loops || rest > context.frameCount ? context.frameCount : rest
    let place = SourceClockAccess.Place(frame: position, phase: UInt64(bitPattern: Int64(elapsed)))
    elapsed += context.frameCount
    guard wanted > 0 else {
      output.silence()
      gain.skip(context.frameCount)
      return .ok
    }
    var wait = 0
    if position < 0 { wait = -position < wanted ? -position : wanted }
    let sounding = wanted - wait
    guard sounding > 0 else {
      output.silence()
      gain.skip(context.frameCount)
      position += wanted
      let phase = UInt64(bitPattern: Int64(elapsed))
      clock.note(at: time, from: place, to: .init(frame: position, phase: phase))
      return .ok
    }
    let ready = readyFrames(of: sounding)
    if ready < context.frameCount || !lend(to: output) {
      for channel in 0..<output.channelCount {
        let buffer = output[channel]
        if wait > 0 { buffer.prefix(wait).clear() }
        if wait + ready < buffer.count { buffer.dropping(wait + ready).clear() }
      }
      if ready > 0 { read(ready, into: output, at: wait) }
    }
    gain.skip(wait)
    scale(output, wait, ready)
    if case .ring(let ring) = origin { ring.discard(ready) }
    if ready < sounding {
      late += sounding - ready
      let total = UInt64(lost[word: 0]) + UInt64(truncatingIfNeeded: sounding - ready)
      lost[word: 0] = total > UInt64(UInt32.max) ? .max : UInt32(truncatingIfNeeded: total)
      if ready == 0 { output.markSilent() }
    }
    position += wanted
    while position > passEnd { nextPass() }
    let phase = UInt64(bitPattern: Int64(elapsed - context.frameCount + wanted))
    clock.note(at: time, from: place, to: .init(frame: position, phase: phase))
    return .ok
  }

  /// How many of the next frames are there. Late frames in the ring are discarded first.
  @_noLocks
  private mutating func readyFrames(of count: Int) -> Int {
    guard case .ring(let ring) = origin else { return count }
    var available = ring.available
    if late > 0 {
      let skipped = late < available ? late : available
      ring.discard(skipped)
      late -= skipped
      available -= skipped
    }
    return available < count ? available : count
  }

  /// Lends the next frames to the bus, where they are in memory as the bus wants them. Returns
  /// `false` where they have to be copied.
  @_noLocks
  private mutating func lend(to output: RenderBus) -> Bool {
    guard output.canBorrow, !gain.hasChanged, unscaled[0] == 0 else { return false }
    switch origin {
    case .ring(let ring): return ring.canLend && ring.lend(to: output)
    case .stored(let frames, let first):
      let offset = position - (pass - 1) * passes.length
      guard offset + output.frameCount <= passes.length else { return false }
      frames.lend(from: first + offset, to: output)
      return true
    }
  }

  /// Reads the next frames to all channels of a bus, from its frame `wait` on; a file with one
  /// channel is heard on all. Of frames in memory the part begins again where it ends.
  @_noLocks
  private func read(_ count: Int, into output: RenderBus, at wait: Int) {
    switch origin {
    case .ring(let ring): ring.read(count, into: output, at: wait)
    case .stored(let frames, let first):
      for channel in 0..<output.channelCount {
        let sink = output[channel].dropping(wait).prefix(count)
        let source = channel < frames.channelCount ? channel : 0
        var offset = (position < 0 ? 0 : position) - (pass - 1) * passes.length
        var done = 0
        while done < sink.count {
          let (left, rest) = (sink.count - done, passes.length - offset)
          let run = left < rest ? left : rest
          frames.read(from: first + offset, into: sink.dropping(done).prefix(run), channel: source)
          done += run
          offset = 0
        }
      }
    }
  }

  @_noLocks
  private mutating func nextPass() {
    pass += 1
    passEnd = passes.end(pass)
  }

  /// Goes on where the replaced source is. Frames that the service has read before that place are
  /// discarded.
  @_noLocks
  private mutating func begin(at time: Double) {
    hasBegun = true
    guard let before else { return }
    let place = before.place(at: time)
    let ratio = clock.sampleRate / before.sampleRate
    let frame = Int(renderFloor(Double(place.frame) * ratio + 0.5))
    elapsed = Int(Double(place.phase) * ratio + 0.5)
    // The first frame that has been read.
    let first = position < 0 ? 0 : position
    guard frame > first else {
      position = frame < 0 ? frame : first
      return
    }
    late = frame - first
    position = frame
    pass = passes.pass(at: frame)
    passEnd = passes.end(pass)
  }

  /// Applies the present gain, where the frames contain another one.
  @_noLocks
  private mutating func scale(_ output: RenderBus, _ begin: Int, _ ready: Int) {
    let mark = Int(truncatingIfNeeded: unscaled[0])
    var isTurned = gain.hasChanged
    if mark > 0 { isTurned = true }
    guard isTurned else {
      gain.skip(output.frameCount - begin)
      return
    }
    // How many frames at the beginning contain a gain.
    var scaled = ready
    if mark > 0, case .ring(let ring) = origin { scaled = mark - 1 - ring.totalRead }
    let start = gain
    for channel in 0..<output.channelCount {
      gain = start
      let buffer = output[channel]
      for behind in 0..<ready {
        let factor = gain.next() / (behind < scaled ? baked : 1)
        let frame = begin + behind
        switch sample {
        case .float32: buffer[frame] = Float(Double(buffer[frame]) * factor)
        case .int16, .int24:
          let word = SampleCoding.word(Double(buffer[frame]) * factor, as: sample)
          buffer[frame] = Float(SampleCoding.value(word, of: sample))
        case .int32, .fixed824:
          let value = SampleCoding.value(buffer[word: frame], of: sample)
          buffer[word: frame] = SampleCoding.word(value * factor, as: sample)
        }
      }
      gain.skip(output.frameCount - begin - ready)
    }
  }
}
