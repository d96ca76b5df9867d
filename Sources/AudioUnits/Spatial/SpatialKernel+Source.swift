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
    let velocity = updateDistance(source, isNew: isNew)
    var next = SpatialSettings(
      controls, source, algorithm: algorithm, attenuation: controls.attenuation(source),
      velocity: velocity, sampleRate: sampleRate)
    var last = isNew ? next : states[source].settings
    if states[source].isEntering {
      // Fades in from silence with the new algorithm.
      let wet = last.wet
      last = next
      (last.left, last.right, last.wet) = (0, 0, wet)
      states[source].isEntering = false
    }
    if wanted != algorithm {
      // Fades out with the old algorithm in this block, and in with the new one in the next.
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

    let transition = Transition(last: last, next: next, start: pace0, end: pace)
    if !transition.isHeard { clearFilters(of: source) }
    if !transition.isHeard || (reader.isSilent(source) && states[source].settle()) {
      if slot >= 0 {
        convolver.block(of: slot).clear()
        convolve(slot, next, hasTurned: hasTurned, isSilent: true)
      }
    } else {
      isSilent = false
      let flags = controls.flags(source)
      if SpatialSettings.hasEars(algorithm, flags) {
        renderEars(
          source, transition, hasShadow: algorithm == SpatializationAlgorithm.sphericalHead)
      } else if algorithm == SpatializationAlgorithm.stereoPassThrough {
        renderPassThrough(source, transition)
      } else {
        renderMono(source, transition, slot: isHeard ? slot : -1)
      }
      if slot >= 0 {
        // The filters of the old algorithm ring out.
        if !isHeard { convolver.block(of: slot).clear() }
        convolve(slot, next, hasTurned: hasTurned, isSilent: !isHeard || !transition.isDirect)
      }
    }
    reader.advance(source, from: pace0, until: pace)
    states[source].settings = next
    states[source].pace = pace
    states[source].hasStarted = true
    return .ok
  }

  /// The settings and the pace of a source at the beginning and at the end of a block.
  private struct Transition: BitwiseCopyable {
    let last: SpatialSettings
    let next: SpatialSettings
    let start: Double
    let end: Double

    var isWet: Bool { @_noLocks get { last.wet != 0 || next.wet != 0 } }

    /// Whether any direct sound is heard.
    var isDirect: Bool {
      @_noLocks get { last.left != 0 || last.right != 0 || next.left != 0 || next.right != 0 }
    }

    /// Whether anything is heard; `false` for a source that is off.
    var isHeard: Bool { @_noLocks get { isDirect || isWet } }
  }

  /// Smooths the distance of a source, and returns the velocity at which it grows, in m/s.
  @_noLocks
  private mutating func updateDistance(_ source: Int, isNew: Bool) -> Double {
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
  private mutating func renderMono(_ source: Int, _ transition: Transition, slot: Int) {
    let mono = buffer(3)
    reader.read(
      source, channel: 0, reading: 0, from: transition.start, until: transition.end, into: mono)
    Self.lowPass(
      mono, &states[source].left.occluded, from: transition.last.occlusion,
      to: transition.next.occlusion)
    send(mono, transition)
    Self.lowPass(
      mono, &states[source].left.obstructed, from: transition.last.obstruction,
      to: transition.next.obstruction)
    if slot >= 0 {
      let block = convolver.block(of: slot)
      block.clear()
      add(mono, from: transition.last.left, to: transition.next.left, into: block)
    } else {
      add(mono, from: transition.last.left, to: transition.next.left, into: buffer(0))
      add(mono, from: transition.last.right, to: transition.next.right, into: buffer(1))
    }
  }

  /// Renders both channels as they are; a mono source in both.
  @_noLocks
  private mutating func renderPassThrough(_ source: Int, _ transition: Transition) {
    let isStereo = states[source].isStereo
    for channel in 0..<2 {
      let signal = buffer(3 + channel)
      if channel == 1 && !isStereo {
        // The left channel, before the low-pass of the obstruction.
        signal.copy(from: buffer(5))
      } else {
        reader.read(
          source, channel: channel, reading: channel, from: transition.start, until: transition.end,
          into: signal)
        Self.lowPass(
          signal, &states[source][channel].occluded, from: transition.last.occlusion,
          to: transition.next.occlusion)
        if !isStereo { buffer(5).copy(from: signal) }
      }
      if transition.isWet {
        add(signal, from: transition.last.wet / 2, to: transition.next.wet / 2, into: buffer(2))
        hasWet = true
      }
      Self.lowPass(
        signal, &states[source][channel].obstructed, from: transition.last.obstruction,
        to: transition.next.obstruction)
      add(
        signal, from: channel == 0 ? transition.last.left : transition.last.right,
        to: channel == 0 ? transition.next.left : transition.next.right, into: buffer(channel))
    }
  }

  /// Renders each ear with its own delay and, on a sphere, its own shadow.
  @_noLocks
  private mutating func renderEars(_ source: Int, _ transition: Transition, hasShadow: Bool) {
    if transition.isWet {
      let mono = buffer(3)
      reader.read(
        source, channel: 0, reading: 2, from: transition.start, until: transition.end, into: mono)
      Self.lowPass(
        mono, &states[source].roomOccluded, from: transition.last.occlusion,
        to: transition.next.occlusion)
      send(mono, transition)
    }
    for ear in 0..<2 {
      let signal = buffer(3)
      reader.read(
        source, channel: 0, reading: ear, from: transition.start, until: transition.end,
        startDelay: ear == 0 ? transition.last.leftDelay : transition.last.rightDelay,
        endDelay: ear == 0 ? transition.next.leftDelay : transition.next.rightDelay, into: signal)
      Self.lowPass(
        signal, &states[source][ear].occluded, from: transition.last.occlusion,
        to: transition.next.occlusion)
      Self.lowPass(
        signal, &states[source][ear].obstructed, from: transition.last.obstruction,
        to: transition.next.obstruction)
      if hasShadow {
        Self.firstOrder(
          signal, &states[source][ear],
          from: ear == 0 ? transition.last.leftShadow : transition.last.rightShadow,
          to: ear == 0 ? transition.next.leftShadow : transition.next.rightShadow)
      }
      add(
        signal, from: ear == 0 ? transition.last.left : transition.last.right,
        to: ear == 0 ? transition.next.left : transition.next.right, into: buffer(ear))
    }
  }

  @_noLocks
  private mutating func send(_ signal: ChannelBuffer, _ transition: Transition) {
    guard transition.isWet else { return }
    add(signal, from: transition.last.wet, to: transition.next.wet, into: buffer(2))
    hasWet = true
  }
}
