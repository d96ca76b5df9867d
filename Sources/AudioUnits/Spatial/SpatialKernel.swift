internal import AudioTypes
internal import RenderCore

/// The 3D Mixer's render half: any number of sources at rates and paces of their own, heard by two
/// ears.
///
/// It works in blocks of a bit less than 10 ms that are counted from the first frame of all, each
/// computed when its first frame is asked for: what comes out does not depend on slices. Controls are
/// read at the beginning of a block. What the first block finds holds at once; whatever has changed
/// later is reached at the block's end, gains, filters, delays and paces in straight lines, and
/// between two measured responses by fading from one to the other.
///
/// Of a source whose gains are 0 all through a block nothing is computed, beyond what still rings out
/// of it: its input is pulled, and its place followed. Heard again, it begins with empty low-passes,
/// and its gain rises from 0 over a block.
///
/// A source goes through the reader, which brings it to the output's rate, pace and delay, the
/// low-pass of its occlusion, from there to the reverb, and on through the low-pass of its
/// obstruction to both channels.
struct SpatialKernel: RenderKernel, ~Copyable {
  /// One input, as it is configured. What nothing feeds yet may be fed later.
  struct Source {
    var channelCount: Int
    var sampleRate: Double
  }

  /// Frames of a block: a multiple of 32, at most 9.5 ms.
  static func blockLength(sampleRate: Double) -> Int { max(1, Int(sampleRate * 0.0095) / 32) * 32 }

  /// How much slower and faster than its own rate a source can be: a playback rate of a half to two,
  /// and Doppler's of as much.
  static let slowest = 0.25
  static let fastest = 4.0

  // Where a source's numbers stand in `states`. From 0 on the settings that the block before ended
  // with, in the order of `settings(_:)`.
  private static var stride: Int { @_noLocks get { 36 } }
  /// What the low-passes put out last: occlusion of three readings, obstruction of two.
  private static var muffled: Int { @_noLocks get { 18 } }
  /// What the shadows took and put out last, left and right.
  private static var shadowed: Int { @_noLocks get { 23 } }
  /// The distance on its way, through two low-passes.
  private static var distance: Int { @_noLocks get { 27 } }
  private static var hasStarted: Int { @_noLocks get { 29 } }
  /// Frames of the input that have been asked for.
  private static var pulled: Int { @_noLocks get { 30 } }
  /// Frames of the input for each of the output, at the end of the block before.
  private static var pace: Int { @_noLocks get { 31 } }
  /// The algorithm that the source has its place by, until it has faded out.
  private static var algorithm: Int { @_noLocks get { 32 } }
  /// Whether it fades in, with another algorithm than before.
  private static var isEntering: Int { @_noLocks get { 33 } }
  // From here on, what does not change.
  /// The input's rate by the output's.
  private static var ratio: Int { @_noLocks get { 34 } }
  private static var isStereo: Int { @_noLocks get { 35 } }

  private let controls: SpatialControls
  private let sampleRate: Double
  private let blockLength: Int
  private let sourceCount: Int
  private let headCount: Int
  private let states: DoubleStorage
  private var reader: PacedReader
  private var convolver: PairConvolver
  private var directions: HeadDirections
  private var reverb: Reverberator
  /// Of a block each: left, right, what goes to the reverb, and three for what is worked on.
  private let buffers: SampleStorage
  private var position: Int
  private var isSilent = true
  private var hasWet = false
  private var hasBegun = false
  private var outputGain = 1.0
  private var reverbGain = 1.0
  private var room = 0
  /// How much a low-pass of the distance goes on in a block.
  private let distanceShare: Double

  // MARK: Control thread

  /// - Parameters:
  ///   - head: For the sources with HRTF; `nil` where there are none.
  ///   - controls: Their block must outlive the kernel, and so must the head table.
  init(sampleRate: Double, sources: [Source], head: HeadTable?, controls: SpatialControls) {
    self.controls = controls
    self.sampleRate = sampleRate
    // Properties of `self` must not be read in closures here, not even in the hidden ones behind `??`:
    // in release builds Swift 6.3 then frees what has not been made.
    let block = Self.blockLength(sampleRate: sampleRate)
    blockLength = block
    sourceCount = sources.count
    var numbers: [Double] = []
    for source in sources {
      numbers += [Double](repeating: 0, count: Self.ratio)
      numbers += [
        Self.ratio(source, sampleRate), source.channelCount == 2 ? 1 : 0,
      ]
    }
    headCount = head == nil ? 0 : sources.count
    states = DoubleStorage(numbers.isEmpty ? [0] : numbers)
    reader = PacedReader(
      sources.map { source in
        let pace = Self.ratio(source, sampleRate)
        return .init(
          channelCount: source.channelCount, fastest: pace * Self.fastest,
          slowest: pace * Self.slowest)
      }, blockLength: block,
      maximumDelay: Int((SphericalHead.longestDelay * sampleRate).rounded(.up)) + 1)
    // Where nothing is heard through a head, a table that is never looked at.
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

  /// Frames of a source for each of the output.
  private static func ratio(_ source: Source, _ sampleRate: Double) -> Double {
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

  /// Back to the beginning.
  @_noLocks
  private mutating func reset() {
    reader.reset()
    convolver.reset()
    for source in 0..<sourceCount {
      for offset in 0..<Self.ratio { states[source * Self.stride + offset] = 0 }
    }
    position = blockLength
    hasBegun = false
  }

  @_noLocks
  private mutating func buffer(_ number: Int) -> ChannelBuffer {
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
    // A room that is left fades out, with what still comes in, over this block.
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

  // MARK: One source

  @_noLocks
  private mutating func renderSource(_ source: Int, _ context: RenderContext) -> Status {
    let first = source * Self.stride
    let isNew = states[first + Self.hasStarted] == 0
    var wanted = controls.algorithm(source)
    // A head that is not there is not heard with.
    if wanted == SpatializationAlgorithm.hrtf && headCount == 0 { wanted = 0 }
    if isNew { states[first + Self.algorithm] = Double(wanted) }
    let algorithm = UInt32(states[first + Self.algorithm])
    let velocity = moveOn(source, isNew: isNew)
    var next = SpatialSettings(
      controls, source, algorithm: algorithm, attenuation: controls.attenuation(source),
      velocity: velocity, sampleRate: sampleRate)
    var last = isNew ? next : settings(source)
    if states[first + Self.isEntering] != 0 {
      // From silence to where the new algorithm has it.
      let wet = last.wet
      last = next
      (last.left, last.right, last.wet) = (0, 0, wet)
      states[first + Self.isEntering] = 0
    }
    if wanted != algorithm {
      // Out by the old algorithm in this block, in by the new one in the next.
      (next.left, next.right) = (0, 0)
      states[first + Self.algorithm] = Double(wanted)
      states[first + Self.isEntering] = 1
    }
    let ratio = states[first + Self.ratio]
    let pace = reader.clamped(next.speed * ratio, of: source)
    let pace0 = isNew ? pace : states[first + Self.pace]
    let status = pull(source, context, from: pace0, until: pace)
    guard status == .ok else { return status }
    let slot = headCount > 0 ? source : -1
    let isHeard = algorithm == SpatializationAlgorithm.hrtf
    let hasTurned =
      isNew || !isHeard || next.azimuth != last.azimuth || next.elevation != last.elevation
      || next.focus != last.focus

    let way = Way(last: last, next: next, from: pace0, until: pace)
    if !way.isHeard { rest(source) }
    if !way.isHeard || (reader.isSilent(source) && isQuiet(source)) {
      if slot >= 0 {
        convolver.block(of: slot).clear()
        convolve(slot, next, hasTurned: hasTurned, isSilent: true)
      }
    } else {
      isSilent = false
      let flags = controls.flags(source)
      if SpatialSettings.hasEars(algorithm, flags) {
        renderEars(source, way, hasShadow: algorithm == SpatializationAlgorithm.sphericalHead)
      } else if algorithm == SpatializationAlgorithm.stereoPassThrough {
        renderPassThrough(source, way)
      } else {
        renderMono(source, way, slot: isHeard ? slot : -1)
      }
      if slot >= 0 {
        // What it was heard with before rings out.
        if !isHeard { convolver.block(of: slot).clear() }
        convolve(slot, next, hasTurned: hasTurned, isSilent: !isHeard || !way.isDirect)
      }
    }
    reader.advance(source, from: pace0, until: pace)
    keep(next, source)
    states[first + Self.pace] = pace
    states[first + Self.hasStarted] = 1
    return .ok
  }

  /// From where to where a source is on its way in a block.
  private struct Way: BitwiseCopyable {
    let last: SpatialSettings
    let next: SpatialSettings
    let start: Double
    let end: Double

    @_noLocks
    init(last: SpatialSettings, next: SpatialSettings, from start: Double, until end: Double) {
      self.last = last
      self.next = next
      self.start = start
      self.end = end
    }

    var isWet: Bool { @_noLocks get { last.wet != 0 || next.wet != 0 } }

    /// Whether any of it is heard that does not come from the room.
    var isDirect: Bool {
      @_noLocks get { last.left != 0 || last.right != 0 || next.left != 0 || next.right != 0 }
    }

    /// Whether any of it is heard: not of a source that is off.
    var isHeard: Bool { @_noLocks get { isDirect || isWet } }
  }

  /// Follows the distance, smoothed, and returns how fast it grows, in m/s.
  @_noLocks
  private mutating func moveOn(_ source: Int, isNew: Bool) -> Double {
    let first = source * Self.stride + Self.distance
    let target = controls.input(source, SpatialControls.distance, 0, 10_000)
    if isNew {
      states[first] = target
      states[first + 1] = target
      return 0
    }
    let before = states[first + 1]
    states[first] += (target - states[first]) * distanceShare
    states[first + 1] += (states[first] - states[first + 1]) * distanceShare
    return (states[first + 1] - before) * sampleRate / Double(blockLength)
  }

  /// Runs what is upstream for as many frames as the block needs.
  @_noLocks
  private mutating func pull(
    _ source: Int, _ context: RenderContext, from start: Double, until end: Double
  ) -> Status {
    let place = source * Self.stride + Self.pulled
    let limit = context.pullLimit(source)
    var rest = reader.framesNeeded(source, from: start, until: end)
    while rest > 0 {
      let count = rest < limit ? rest : limit
      let status = context.pull(
        source, frameCount: count, at: TimeStamp(sampleTime: states[place]))
      guard status == .ok else { return status }
      reader.push(source, context.pulled(source, frameCount: count), frameCount: count)
      states[place] += Double(count)
      rest -= count
    }
    return .ok
  }

  @_noLocks
  private mutating func convolve(
    _ slot: Int, _ next: SpatialSettings, hasTurned: Bool, isSilent: Bool
  ) {
    let mixture = directions.mixture(
      azimuth: next.azimuth, elevation: next.elevation, focus: next.focus)
    convolver.convolve(slot, mixture, hasChanged: hasTurned, isSilent: isSilent)
  }

  /// Panned with gains alone, or through the filters of a head.
  @_noLocks
  private mutating func renderMono(_ source: Int, _ way: Way, slot: Int) {
    let mono = buffer(3)
    reader.read(
      source, channel: 0, reading: 0, from: way.start, until: way.end, into: mono)
    muffle(mono, source, 0, from: way.last.occlusion, to: way.next.occlusion)
    send(mono, way)
    muffle(mono, source, 3, from: way.last.obstruction, to: way.next.obstruction)
    if slot >= 0 {
      let block = convolver.block(of: slot)
      block.clear()
      add(mono, from: way.last.left, to: way.next.left, into: block)
    } else {
      add(mono, from: way.last.left, to: way.next.left, into: buffer(0))
      add(mono, from: way.last.right, to: way.next.right, into: buffer(1))
    }
  }

  /// Both channels as they are; a mono source in both.
  @_noLocks
  private mutating func renderPassThrough(_ source: Int, _ way: Way) {
    let isStereo = states[source * Self.stride + Self.isStereo] != 0
    for channel in 0..<2 {
      let signal = buffer(3 + channel)
      if channel == 1 && !isStereo {
        // The same as the left one, before the low-pass of the obstruction.
        signal.copy(from: buffer(5))
      } else {
        reader.read(
          source, channel: channel, reading: channel, from: way.start, until: way.end, into: signal)
        muffle(signal, source, channel, from: way.last.occlusion, to: way.next.occlusion)
        if !isStereo { buffer(5).copy(from: signal) }
      }
      if way.isWet {
        add(signal, from: way.last.wet / 2, to: way.next.wet / 2, into: buffer(2))
        hasWet = true
      }
      muffle(signal, source, 3 + channel, from: way.last.obstruction, to: way.next.obstruction)
      add(
        signal, from: channel == 0 ? way.last.left : way.last.right,
        to: channel == 0 ? way.next.left : way.next.right, into: buffer(channel))
    }
  }

  /// Each ear at its own time, on a sphere also behind its shadow.
  @_noLocks
  private mutating func renderEars(_ source: Int, _ way: Way, hasShadow: Bool) {
    if way.isWet {
      let mono = buffer(3)
      reader.read(source, channel: 0, reading: 2, from: way.start, until: way.end, into: mono)
      muffle(mono, source, 2, from: way.last.occlusion, to: way.next.occlusion)
      send(mono, way)
    }
    for ear in 0..<2 {
      let signal = buffer(3)
      reader.read(
        source, channel: 0, reading: ear, from: way.start, until: way.end,
        startDelay: ear == 0 ? way.last.leftDelay : way.last.rightDelay,
        endDelay: ear == 0 ? way.next.leftDelay : way.next.rightDelay, into: signal)
      muffle(signal, source, ear, from: way.last.occlusion, to: way.next.occlusion)
      muffle(signal, source, 3 + ear, from: way.last.obstruction, to: way.next.obstruction)
      if hasShadow {
        shade(
          signal, source, ear, from: ear == 0 ? way.last.leftShadow : way.last.rightShadow,
          to: ear == 0 ? way.next.leftShadow : way.next.rightShadow)
      }
      add(
        signal, from: ear == 0 ? way.last.left : way.last.right,
        to: ear == 0 ? way.next.left : way.next.right, into: buffer(ear))
    }
  }

  @_noLocks
  private mutating func send(_ signal: ChannelBuffer, _ way: Way) {
    guard way.isWet else { return }
    add(signal, from: way.last.wet, to: way.next.wet, into: buffer(2))
    hasWet = true
  }

  // MARK: State

  @_noLocks
  private mutating func settings(_ source: Int) -> SpatialSettings {
    let first = source * Self.stride
    var settings = SpatialSettings()
    settings.left = states[first]
    settings.right = states[first + 1]
    settings.wet = states[first + 2]
    settings.occlusion = states[first + 3]
    settings.obstruction = states[first + 4]
    settings.leftDelay = states[first + 5]
    settings.rightDelay = states[first + 6]
    settings.leftShadow = FirstOrderFilter(
      b0: states[first + 7], b1: states[first + 8], a1: states[first + 9])
    settings.rightShadow = FirstOrderFilter(
      b0: states[first + 10], b1: states[first + 11], a1: states[first + 12])
    settings.azimuth = states[first + 13]
    settings.elevation = states[first + 14]
    settings.focus = states[first + 15]
    return settings
  }

  @_noLocks
  private mutating func keep(_ settings: SpatialSettings, _ source: Int) {
    let first = source * Self.stride
    states[first] = settings.left
    states[first + 1] = settings.right
    states[first + 2] = settings.wet
    states[first + 3] = settings.occlusion
    states[first + 4] = settings.obstruction
    states[first + 5] = settings.leftDelay
    states[first + 6] = settings.rightDelay
    states[first + 7] = settings.leftShadow.b0
    states[first + 8] = settings.leftShadow.b1
    states[first + 9] = settings.leftShadow.a1
    states[first + 10] = settings.rightShadow.b0
    states[first + 11] = settings.rightShadow.b1
    states[first + 12] = settings.rightShadow.a1
    states[first + 13] = settings.azimuth
    states[first + 14] = settings.elevation
    states[first + 15] = settings.focus
  }

  /// Whether what is left in the filters of a source is nothing, to 180 dB below full scale; then
  /// it is nothing from here on.
  @_noLocks
  private mutating func isQuiet(_ source: Int) -> Bool {
    let first = source * Self.stride + Self.muffled
    for offset in 0..<9 {
      if states[first + offset].magnitude > 1e-9 { return false }
    }
    for offset in 0..<9 { states[first + offset] = 0 }
    return true
  }

  /// Forgets what the filters of a source hold: it is not heard, and fades in when it is heard again.
  @_noLocks
  private mutating func rest(_ source: Int) {
    let first = source * Self.stride + Self.muffled
    for offset in 0..<9 { states[first + offset] = 0 }
    reader.forgetFilters(source)
  }

  // MARK: Inner loops

  /// A low-pass whose coefficient goes from one value to another.
  @_noLocks
  private mutating func muffle(
    _ signal: ChannelBuffer, _ source: Int, _ filter: Int, from start: Double, to end: Double
  ) {
    let place = source * Self.stride + Self.muffled + filter
    if start == 0 && end == 0 {
      // What a filter that is about to begin has put out last.
      states[place] = Double(signal[blockLength - 1])
      return
    }
    let rise = Float((end - start) / Double(blockLength))
    let first = Float(start)
    var last = Float(states[place])
    for frame in 0..<blockLength {
      let p = first + Float(Int32(truncatingIfNeeded: frame + 1)) * rise
      last = signal[frame] + p * (last - signal[frame])
      signal[frame] = last
    }
    states[place] = Double(last)
  }

  /// A filter of first order whose coefficients go from one set to another.
  @_noLocks
  private mutating func shade(
    _ signal: ChannelBuffer, _ source: Int, _ ear: Int, from start: FirstOrderFilter,
    to end: FirstOrderFilter
  ) {
    let place = source * Self.stride + Self.shadowed + 2 * ear
    let scale = 1 / Double(blockLength)
    let b0Rise = Float((end.b0 - start.b0) * scale)
    let b1Rise = Float((end.b1 - start.b1) * scale)
    let a1Rise = Float((end.a1 - start.a1) * scale)
    let (b0, b1, a1) = (Float(start.b0), Float(start.b1), Float(start.a1))
    var taken = Float(states[place])
    var last = Float(states[place + 1])
    for frame in 0..<blockLength {
      let n = Float(Int32(truncatingIfNeeded: frame + 1))
      let x = signal[frame]
      last = (b0 + n * b0Rise) * x + (b1 + n * b1Rise) * taken - (a1 + n * a1Rise) * last
      taken = x
      signal[frame] = last
    }
    states[place] = Double(taken)
    states[place + 1] = Double(last)
  }

  /// Adds a signal with a gain that goes from one value to another.
  @_noLocks
  private mutating func add(
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
