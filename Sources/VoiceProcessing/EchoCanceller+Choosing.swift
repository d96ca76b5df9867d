import RenderCore

/// The comparison of the filters, and the copies from the best one to the others.
extension EchoCanceller {
  /// Compares the residuals of the filters, and copies or resets coefficients where one is clearly
  /// better.
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

    // The kept filter leaves more than no filter would: the echo path has changed.
    noneAgainstKept.note(calmest, microphone.energy(), difference: echo(.kept).energy(), hop)
    if noneAgainstKept.isWon && keptLevel > 1.25 * nearLevel {
      for part in 0..<largestLength { kept[part].clear() }
      keptLevel = nearLevel
      noneAgainstKept = FilterContest()
      mainAgainstKept = FilterContest()
    }
    let contest = distance(echo(.main), echo(.kept))
    mainAgainstKept.note(calmest, main, difference: contest, hop)
    // Where near-end speech dominates, the adaptive filters follow its tones. They then have to win
    // in more of the bands to replace the kept filter, which counts as unproven afterwards.
    let isOfVoice = isMostlyVoice && nearProbability > 0.5
    if mainAgainstKept.isWon && betterShare > (isOfVoice ? 0.75 : 0.6) {
      isKeptUnproven = isOfVoice
      for part in 0..<effort.length { kept[part].copy(from: filter[part]) }
      keptLevel = errorLevel
      mainAgainstKept = FilterContest()
      if restartPause == 0 && errorLevel > 10 * bestRatio * nearLevel {
        // The filter adapts to a new echo path: let it adapt faster.
        resetUncertainty(.main)
        settling = Self.settlingHops
        restartPause = Self.restartPauseHops / 3
      }
    } else if mainAgainstKept.isLost && errorLevel > 1.2 * keptLevel && restartPause == 0 {
      // The main filter restarts from the kept one, with a large variance.
      for part in 0..<effort.length { filter[part].copy(from: kept[part]) }
      resetUncertainty(.main)
      forgetLevels(.main)
      error.copy(from: keptError)
      errorLevel = keptLevel
      mainAgainstKept = FilterContest()
      restartPause = 20
    }
    guard age > 20, nearLevel > 1e-9 * Float(hop) else { return }
    if shadowLevel > 1.5 * nearLevel && shadowRestartPause == 0 {
      for part in 0..<shadow.rowCount { shadow[part].clear() }
      resetUncertainty(.shadow)
      forgetLevels(.shadow)
      shadowError.copy(from: microphone)
      echo(.shadow).clear()
      shadowLevel = nearLevel
      shadowRestartPause = Self.restartPauseHops / 3
    }
    if shadowRestartPause > 0 { shadowRestartPause -= 1 }
    guard restartPause == 0 else { return }
    // A filter that removes next to nothing is useless, and its variance is too small to adapt.
    uselessHops = errorLevel > 0.8 * nearLevel ? uselessHops + 1 : 0
    if uselessHops > Self.restartPauseHops / 3 || errorLevel > 1.5 * nearLevel {
      for part in 0..<largestLength { filter[part].clear() }
      resetUncertainty(.main)
      forgetLevels(.main)
      error.copy(from: microphone)
      echo(.main).clear()
      errorLevel = nearLevel
      uselessHops = 0
      forgetCurves()
      settling = Self.settlingHops
      restartPause = Self.restartPauseHops / 2
      mainAgainstKept = FilterContest()
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
      resetUncertainty(.main)
      forgetLevels(.main)
      error.copy(from: shadowError)
      errorLevel = shadowLevel
      settling = Self.settlingHops
      restartPause = Self.restartPauseHops / 3
    }
  }

  @_noLocks
  func distance(_ a: ChannelBuffer, _ b: ChannelBuffer) -> Float {
    var sum: Float = 0
    for index in 0..<hop { sum += (a[index] - b[index]) * (a[index] - b[index]) }
    return sum
  }

  /// Raises the variance of the coefficients to its bound: the echo is no louder than the
  /// microphone.
  @_noLocks
  mutating func resetUncertainty(_ which: EchoFilter) {
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
