import AudioTypes
import RenderCore

extension SpatialKernel {
  // MARK: One source

  @_noLocks
  mutating func renderSource(_ source: Int, _ context: RenderContext) -> Status {
    let isNew = !states[source].hasStarted
    var wanted = controls.algorithm(source)
    // Without a head, HRTF becomes equal-power panning.
    if wanted == SpatializationAlgorithm.hrtf && headCount == 0 { wanted = 0 }
    if isNew { states[source].algorithm = wanted }
    let algorithm = states[source].algorithm
    let velocity = moveOn(source, isNew: isNew)
    var next = SpatialSettings(
      controls, source, algorithm: algorithm, attenuation: controls.attenuation(source),
      velocity: velocity, sampleRate: sampleRate)
    var last = isNew ? next : states[source].settings
    if states[source].isEntering {
      // From silence to the place by the new algorithm.
      let wet = last.wet
      last = next
      (last.left, last.right, last.wet) = (0, 0, wet)
      states[source].isEntering = false
    }
    if wanted != algorithm {
      // Fades out by the old algorithm in this block, in by the new one in the next.
      (next.left, next.right) = (0, 0)
      states[source].algorithm = wanted
      states[source].isEntering = true
    }
    let pace = reader.clamped(next.speed * states[source].ratio, of: source)
    let pace0 = isNew ? pace : states[source].pace
    let status = pull(source, context, from: pace0, until: pace)
    guard status == .ok else { return status }
    let slot = headCount > 0 ? source : -1
    let isHeard = algorithm == SpatializationAlgorithm.hrtf
    let hasTurned =
      isNew || !isHeard || next.azimuth != last.azimuth || next.elevation != last.elevation
      || next.focus != last.focus

    let way = Way(last: last, next: next, from: pace0, until: pace)
    if !way.isHeard { rest(source) }
    if !way.isHeard || (reader.isSilent(source) && states[source].settle()) {
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
        // The filters that it was heard with before ring out.
        if !isHeard { convolver.block(of: slot).clear() }
        convolve(slot, next, hasTurned: hasTurned, isSilent: !isHeard || !way.isDirect)
      }
    }
    reader.advance(source, from: pace0, until: pace)
    states[source].settings = next
    states[source].pace = pace
    states[source].hasStarted = true
    return .ok
  }

  /// The settings and the pace of a source at the beginning and at the end of a block.
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

    /// Whether any direct sound is heard.
    var isDirect: Bool {
      @_noLocks get { last.left != 0 || last.right != 0 || next.left != 0 || next.right != 0 }
    }

    /// Whether anything is heard: not of a source that is off.
    var isHeard: Bool { @_noLocks get { isDirect || isWet } }
  }

  /// Smooths the distance, and returns how fast it grows, in m/s.
  @_noLocks
  private mutating func moveOn(_ source: Int, isNew: Bool) -> Double {
    let target = controls.distance[source]
    if isNew {
      states[source].distance = target
      states[source].smoothDistance = target
      return 0
    }
    let before = states[source].smoothDistance
    states[source].distance += (target - states[source].distance) * distanceShare
    states[source].smoothDistance += (states[source].distance - before) * distanceShare
    return (states[source].smoothDistance - before) * sampleRate / Double(blockLength)
  }

  /// Pulls as many frames as the block needs.
  @_noLocks
  private mutating func pull(
    _ source: Int, _ context: RenderContext, from start: Double, until end: Double
  ) -> Status {
    let limit = context.pullLimit(source)
    var rest = reader.framesNeeded(source, from: start, until: end)
    while rest > 0 {
      let count = rest < limit ? rest : limit
      let status = context.pull(
        source, frameCount: count, at: TimeStamp(sampleTime: states[source].pulled))
      guard status == .ok else { return status }
      reader.push(source, context.pulled(source, frameCount: count), frameCount: count)
      states[source].pulled += Double(count)
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

  /// Renders a source with panning gains alone, or through the filters of a head.
  @_noLocks
  private mutating func renderMono(_ source: Int, _ way: Way, slot: Int) {
    let mono = buffer(3)
    reader.read(
      source, channel: 0, reading: 0, from: way.start, until: way.end, into: mono)
    Self.muffle(
      mono, &states[source].left.occluded, from: way.last.occlusion, to: way.next.occlusion)
    send(mono, way)
    Self.muffle(
      mono, &states[source].left.obstructed, from: way.last.obstruction, to: way.next.obstruction)
    if slot >= 0 {
      let block = convolver.block(of: slot)
      block.clear()
      add(mono, from: way.last.left, to: way.next.left, into: block)
    } else {
      add(mono, from: way.last.left, to: way.next.left, into: buffer(0))
      add(mono, from: way.last.right, to: way.next.right, into: buffer(1))
    }
  }

  /// Renders both channels as they are; a mono source in both.
  @_noLocks
  private mutating func renderPassThrough(_ source: Int, _ way: Way) {
    let isStereo = states[source].isStereo
    for channel in 0..<2 {
      let signal = buffer(3 + channel)
      if channel == 1 && !isStereo {
        // The left channel, before the low-pass of the obstruction.
        signal.copy(from: buffer(5))
      } else {
        reader.read(
          source, channel: channel, reading: channel, from: way.start, until: way.end, into: signal)
        Self.muffle(
          signal, &states[source][channel].occluded, from: way.last.occlusion,
          to: way.next.occlusion)
        if !isStereo { buffer(5).copy(from: signal) }
      }
      if way.isWet {
        add(signal, from: way.last.wet / 2, to: way.next.wet / 2, into: buffer(2))
        hasWet = true
      }
      Self.muffle(
        signal, &states[source][channel].obstructed, from: way.last.obstruction,
        to: way.next.obstruction)
      add(
        signal, from: channel == 0 ? way.last.left : way.last.right,
        to: channel == 0 ? way.next.left : way.next.right, into: buffer(channel))
    }
  }

  /// Renders each ear with its own delay and, on a sphere, its own shadow.
  @_noLocks
  private mutating func renderEars(_ source: Int, _ way: Way, hasShadow: Bool) {
    if way.isWet {
      let mono = buffer(3)
      reader.read(source, channel: 0, reading: 2, from: way.start, until: way.end, into: mono)
      Self.muffle(
        mono, &states[source].roomOccluded, from: way.last.occlusion, to: way.next.occlusion)
      send(mono, way)
    }
    for ear in 0..<2 {
      let signal = buffer(3)
      reader.read(
        source, channel: 0, reading: ear, from: way.start, until: way.end,
        startDelay: ear == 0 ? way.last.leftDelay : way.last.rightDelay,
        endDelay: ear == 0 ? way.next.leftDelay : way.next.rightDelay, into: signal)
      Self.muffle(
        signal, &states[source][ear].occluded, from: way.last.occlusion, to: way.next.occlusion)
      Self.muffle(
        signal, &states[source][ear].obstructed, from: way.last.obstruction,
        to: way.next.obstruction)
      if hasShadow {
        Self.shade(
          signal, &states[source][ear], from: ear == 0 ? way.last.leftShadow : way.last.rightShadow,
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
}
