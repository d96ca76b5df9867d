import RenderCore

/// Which of the filters has done best, and what the others take from it.
extension EchoCanceller {
  /// Looks which filter has done best, and lets the others go on from there.
  @_noLocks
  mutating func compare(_ microphone: ChannelBuffer, playedEnergy: Float) {
    let error = mainError.buffer(at: 0, count: hop)
    let shadowError = shadowError.buffer(at: 0, count: hop)
    let keptError = keptError.buffer(at: 0, count: hop)
    let (main, fast, calmest) = (error.energy(), shadowError.energy(), keptError.energy())
    errorLevel += 0.1 * (main - errorLevel)
    shadowLevel += 0.1 * (fast - shadowLevel)
    keptLevel += 0.1 * (calmest - keptLevel)
    nearLevel += 0.1 * (microphone.energy() - nearLevel)
    ringing = 0.7 * ringing + playedEnergy
    heardLevel += 0.03 * (calmest - heardLevel)
    playedLevel += 0.03 * (ringing - playedLevel)
    if nearLevel > 1e-8 * Float(hop) {
      let ratio = errorLevel / nearLevel
      bestRatio = ratio < bestRatio ? ratio : bestRatio * 1.005
      bestRatio = bestRatio < 1 ? bestRatio : 1
    }
    guard age > 5 else { return }

    // What is kept leaves more than was heard: there is no such echo any more.
    leaving.note(calmest, microphone.energy(), difference: echo(.kept).energy(), hop)
    if leaving.isWon && keptLevel > 1.25 * nearLevel {
      for part in 0..<largestLength { kept[part].clear() }
      keptLevel = nearLevel
      leaving = FilterContest()
      keeping = FilterContest()
    }
    let contest = distance(echo(.main), echo(.kept))
    keeping.note(calmest, main, difference: contest, hop)
    // Where a voice is nearly all of what is heard, the filters that adapt follow its tones: what is kept makes way
    // in more of the bands only, and what takes its place has still to be shown.
    let isOfVoice = isMostlyVoice && nearProbability > 0.5
    if keeping.isWon && betterShare > (isOfVoice ? 0.75 : 0.6) {
      isKeptUnproven = isOfVoice
      for part in 0..<effort.length { kept[part].copy(from: filter[part]) }
      keptLevel = errorLevel
      keeping = FilterContest()
      if calm == 0 && errorLevel > 10 * bestRatio * nearLevel {
        // It finds its way along another path than it knew, and may go faster.
        expectAnything(.main)
        settling = Self.settlingHops
        calm = Self.calmHops / 3
      }
    } else if keeping.isLost && errorLevel > 1.2 * keptLevel && calm == 0 {
      // It goes on from what is kept, as unsure as what that leaves can make it.
      for part in 0..<effort.length { filter[part].copy(from: kept[part]) }
      expectAnything(.main)
      forgetLevels(.main)
      error.copy(from: keptError)
      errorLevel = keptLevel
      keeping = FilterContest()
      calm = 20
    }
    guard age > 20, nearLevel > 1e-9 * Float(hop) else { return }
    if shadowLevel > 1.5 * nearLevel && shadowCalm == 0 {
      for part in 0..<shadow.rowCount { shadow[part].clear() }
      expectAnything(.shadow)
      forgetLevels(.shadow)
      shadowError.copy(from: microphone)
      echo(.shadow).clear()
      shadowLevel = nearLevel
      shadowCalm = Self.calmHops / 3
    }
    if shadowCalm > 0 { shadowCalm -= 1 }
    guard calm == 0 else { return }
    // A filter that takes nothing out, though there is something to hear, is as good as none, and too
    // sure of it.
    useless = errorLevel > 0.8 * nearLevel ? useless + 1 : 0
    if useless > Self.calmHops / 3 || errorLevel > 1.5 * nearLevel {
      for part in 0..<largestLength { filter[part].clear() }
      expectAnything(.main)
      forgetLevels(.main)
      error.copy(from: microphone)
      echo(.main).clear()
      errorLevel = nearLevel
      useless = 0
      forgetCurves()
      settling = Self.settlingHops
      calm = Self.calmHops / 2
      keeping = FilterContest()
    } else if shadowLevel < 0.5 * errorLevel
      || (shadowLevel < 0.75 * errorLevel && shadowShare > 0.7)
    {
      for part in 0..<effort.length {
        if part < effort.shadowLength {
          filter[part].copy(from: shadow[part])
        } else {
          filter[part].clear()
        }
      }
      expectAnything(.main)
      forgetLevels(.main)
      error.copy(from: shadowError)
      errorLevel = shadowLevel
      settling = Self.settlingHops
      calm = Self.calmHops / 3
    }
  }

  @_noLocks
  func distance(_ a: ChannelBuffer, _ b: ChannelBuffer) -> Float {
    var sum: Float = 0
    for index in 0..<hop { sum += (a[index] - b[index]) * (a[index] - b[index]) }
    return sum
  }

  /// Makes a filter as uncertain as it can be: no echo is louder than what is heard.
  @_noLocks
  mutating func expectAnything(_ which: EchoFilter) {
    var coupling: Float = 1
    if playedLevel > 1e-6 * Float(hop) {
      coupling = 2 * heardLevel / playedLevel
      coupling = coupling > 1 ? 1 : coupling < 1e-6 ? 1e-6 : coupling
    }
    for part in 0..<(which.index == 0 ? largestLength : shadow.rowCount) {
      let uncertain = variance(which, part)
      let expected = taper[part] * coupling
      for bin in 0..<bins {
        if uncertain[bin] < expected { uncertain[bin] = expected }
      }
    }
  }

  @_noLocks
  mutating func forgetLevels(_ which: EchoFilter) {
    levels(which, 0).clear()
    levels(which, 1).clear()
  }
}
