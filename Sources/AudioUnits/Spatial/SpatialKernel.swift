import AudioTypes
import RenderCore

/// The kernel of the 3D Mixer: any number of sources at rates and paces of their own, heard by two
/// ears.
///
/// It works in blocks of a bit less than 10 ms, counted from the first frame of all. Each block is
/// computed when its first frame is pulled, so that the output does not depend on slices. Controls
/// are read at the beginning of a block. In the first block they apply at once; a later change is
/// complete at the end of its block: gains, filters, delays and paces move linearly, measured
/// responses crossfade.
///
/// A source whose gains are 0 throughout a block is not computed, except for the tail of its
/// filters; its input is still pulled, and its position updated. When it is heard again, its
/// low-passes start empty, and its gain rises from 0 over a block.
///
/// The path of a source: the reader, which applies rate, pace and delay; the low-pass of its
/// occlusion; from there to the reverb, and through the low-pass of its obstruction to both
/// channels.
struct SpatialKernel: RenderKernel, ~Copyable {
  /// The configuration of one input. An unconnected input may be connected later.
  struct Source {
    var channelCount: Int
    var sampleRate: Double
  }

  /// Frames of a block: a multiple of 32, at most 9.5 ms.
  static func blockLength(sampleRate: Double) -> Int { max(1, Int(sampleRate * 0.0095) / 32) * 32 }

  /// The limits of a source's pace, by its own rate: a playback rate of 0.5 to 2, times a Doppler
  /// factor of 0.5 to 2.
  static let slowest = 0.25
  static let fastest = 4.0

  let controls: SpatialControls
  let sampleRate: Double
  let blockLength: Int
  private let sourceCount: Int
  let headCount: Int
  let states: StateStorage<SpatialSource>
  var reader: PacedReader
  var convolver: PairConvolver
  var directions: HeadDirections
  private var reverb: Reverberator
  /// Six buffers of a block: left, right, the reverb's input, and three to work in.
  private let buffers: SampleStorage
  private var position: Int
  var isSilent = true
  var hasWet = false
  private var hasBegun = false
  private var outputGain = 1.0
  private var reverbGain = 1.0
  private var room = 0
  /// The share of a change that each low-pass of the distance applies in a block.
  let distanceShare: Double

  // MARK: Control thread

  var weight: Int { max(1, sourceCount) }

  /// - Parameters:
  ///   - head: For the sources with HRTF; `nil` where there are none.
  ///   - controls: Their block must outlive the kernel, and so must the head table.
  init(sampleRate: Double, sources: [Source], head: HeadTable?, controls: SpatialControls) {
    self.controls = controls
    self.sampleRate = sampleRate
    // Properties of `self` must not be read in closures here, not even in the implicit ones of
    // `??`: in release builds Swift 6.3 then frees memory that has not been initialized.
    let block = Self.blockLength(sampleRate: sampleRate)
    blockLength = block
    sourceCount = sources.count
    headCount = head == nil ? 0 : sources.count
    let states = sources.map { source in
      SpatialSource(
        ratio: Self.ratio(source, sampleRate), isStereo: source.channelCount == 2)
    }
    self.states = StateStorage(states.isEmpty ? [SpatialSource(ratio: 1, isStereo: false)] : states)
    reader = PacedReader(
      sources.map { source in
        let pace = Self.ratio(source, sampleRate)
        return .init(
          channelCount: source.channelCount, fastest: pace * Self.fastest,
          slowest: pace * Self.slowest)
      }, blockLength: block,
      maximumDelay: Int((SphericalHead.longestDelay * sampleRate).rounded(.up)) + 1)
    // Without a head, a dummy table that is never read.
    let filters =
      head?.filters
      ?? FilterPairTable(
        left: [[1]], right: [[1]], leftDelays: [0], rightDelays: [0], blockLength: block)
    convolver = PairConvolver(sourceCount: max(1, head == nil ? 0 : sources.count), table: filters)
    directions = HeadDirections(
      rings: head?.rings ?? [0, 0, 1], points: head?.points ?? [0, 0], plain: head?.plain ?? 0)
    reverb = Reverberator(rooms: ReverbRoom.all, sampleRate: sampleRate)
    buffers = SampleStorage(repeating: 0, count: 6 * block)
    position = block
    distanceShare = 1 - renderExp(-Double(block) / (0.03 * sampleRate))
  }

  /// Input frames for each frame of the output.
  static func ratio(_ source: Source, _ sampleRate: Double) -> Double {
    guard source.sampleRate > 0, sampleRate > 0 else { return 1 }
    return source.sampleRate / sampleRate
  }

  // MARK: Render thread

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    let output = context.output(0)
    guard context.inputCount == sourceCount, output.channelCount == 2 else {
      return .formatNotSupported
    }
    if hasBegun && context.timeStamp.sampleTime == 0 { reset() }
    var done = 0
    var slice = true
    while done < context.frameCount {
      if position == blockLength {
        let status = renderBlock(context)
        guard status == .ok else { return status }
        position = 0
      }
      let rest = context.frameCount - done
      let count = rest < blockLength - position ? rest : blockLength - position
      output[0].dropping(done).copy(from: buffer(0).dropping(position).prefix(count))
      output[1].dropping(done).copy(from: buffer(1).dropping(position).prefix(count))
      if !isSilent { slice = false }
      position += count
      done += count
    }
    if slice { output.markSilent() }
    return .ok
  }

  /// Returns to the initial state.
  @_noLocks
  private mutating func reset() {
    reader.reset()
    convolver.reset()
    for source in 0..<sourceCount {
      states[source] = SpatialSource(ratio: states[source].ratio, isStereo: states[source].isStereo)
    }
    position = blockLength
    hasBegun = false
  }

  @_noLocks
  mutating func buffer(_ number: Int) -> ChannelBuffer {
    buffers.buffer(at: number * blockLength, count: blockLength)
  }

  @_noLocks
  private mutating func renderBlock(_ context: RenderContext) -> Status {
    if !hasBegun {
      outputGain = renderPower(10, controls.outputGain / 20)
      reverbGain = renderPower(10, controls.reverbGain / 20)
      room = controls.room
      reverb.reset(room: room)
      hasBegun = true
    }
    buffer(0).clear()
    buffer(1).clear()
    buffer(2).clear()
    isSilent = true
    hasWet = false
    if headCount > 0 { convolver.begin() }
    var source = 0
    while source < sourceCount {
      if context.pullLimit(source) > 0 {
        let status = renderSource(source, context)
        guard status == .ok else { return status }
      }
      source += 1
    }
    if headCount > 0 {
      if convolver.finish(left: buffer(0), right: buffer(1)) { isSilent = false }
    }
    renderReverb()
    let gain = renderPower(10, controls.outputGain / 20)
    if !isSilent {
      scale(buffer(0), from: outputGain, to: gain)
      scale(buffer(1), from: outputGain, to: gain)
    }
    outputGain = gain
    return .ok
  }

  @_noLocks
  private mutating func renderReverb() {
    let gain = renderPower(10, controls.reverbGain / 20)
    let isOn = controls.usesReverb
    let next = controls.room
    // The old room fades out over this block, together with the input.
    let isLeaving = next != room || !isOn
    if !reverb.isSilent || (hasWet && !isLeaving) {
      reverb.render(buffer(2), isSilent: !hasWet, left: buffer(3), right: buffer(4))
      let end = isLeaving ? 0 : gain
      add(buffer(3), from: reverbGain, to: end, into: buffer(0))
      add(buffer(4), from: reverbGain, to: end, into: buffer(1))
      isSilent = false
    }
    if isLeaving {
      if !reverb.isSilent || next != room { reverb.reset(room: next) }
      room = next
    }
    reverbGain = gain
  }

  /// Clears the filters of a source that is not heard; it fades in when it is heard again.
  @_noLocks
  mutating func clearFilters(of source: Int) {
    states[source].clearFilters()
    reader.forgetFilters(source)
  }

  // MARK: Inner loops

  /// Applies the low-pass of `Muffling`, with a coefficient that moves linearly.
  ///
  /// - Parameters:
  ///   - signal: A block.
  ///   - last: The last output of the filter.
  @_noLocks
  static func lowPass(
    _ signal: ChannelBuffer, _ last: inout Float, from start: Double, to end: Double
  ) {
    let length = signal.count
    if start == 0 && end == 0 {
      // The last output before a filter that may begin in the next block.
      last = signal[length - 1]
      return
    }
    let rise = Float((end - start) / Double(length))
    let first = Float(start)
    var value = last
    for frame in 0..<length {
      let p = first + Float(Int32(truncatingIfNeeded: frame + 1)) * rise
      value = signal[frame] + p * (value - signal[frame])
      signal[frame] = value
    }
    last = value
  }

  /// Applies a first-order filter whose coefficients move linearly.
  ///
  /// - Parameters:
  ///   - signal: A block.
  ///   - ear: The ear that the filter belongs to.
  @_noLocks
  static func firstOrder(
    _ signal: ChannelBuffer, _ ear: inout SpatialSource.Ear, from start: FirstOrderFilter,
    to end: FirstOrderFilter
  ) {
    let scale = 1 / Double(signal.count)
    let b0Rise = Float((end.b0 - start.b0) * scale)
    let b1Rise = Float((end.b1 - start.b1) * scale)
    let a1Rise = Float((end.a1 - start.a1) * scale)
    let (b0, b1, a1) = (Float(start.b0), Float(start.b1), Float(start.a1))
    var taken = ear.shadowInput
    var last = ear.shadowOutput
    for frame in 0..<signal.count {
      let n = Float(Int32(truncatingIfNeeded: frame + 1))
      let x = signal[frame]
      last = (b0 + n * b0Rise) * x + (b1 + n * b1Rise) * taken - (a1 + n * a1Rise) * last
      taken = x
      signal[frame] = last
    }
    ear.shadowInput = taken
    ear.shadowOutput = last
  }

  /// Adds a signal with a gain that moves linearly.
  @_noLocks
  mutating func add(
    _ signal: ChannelBuffer, from start: Double, to end: Double, into sum: ChannelBuffer
  ) {
    if start == 0 && end == 0 { return }
    let count = sum.count
    let signal = signal.prefix(count)
    let first = Float(start)
    if start == end {
      for frame in 0..<count { sum[frame] += first * signal[frame] }
      return
    }
    let rise = Float((end - start) / Double(blockLength))
    for frame in 0..<count {
      sum[frame] += (first + Float(Int32(truncatingIfNeeded: frame + 1)) * rise) * signal[frame]
    }
  }

  @_noLocks
  private mutating func scale(_ signal: ChannelBuffer, from start: Double, to end: Double) {
    if start == 1 && end == 1 { return }
    let first = Float(start)
    let rise = Float((end - start) / Double(blockLength))
    for frame in 0..<signal.count {
      signal[frame] *= first + Float(Int32(truncatingIfNeeded: frame + 1)) * rise
    }
  }
}
