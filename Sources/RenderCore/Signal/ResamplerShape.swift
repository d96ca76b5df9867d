/// The sizes of a resampler's tables and lanes. Control thread.
struct ResamplerShape {
  /// The ratio in lowest terms; 0 where it is not simple.
  let phases: Int
  let phaseStep: Int
  /// Input frames for each output frame, in 2^-64 frames.
  let exactStep: Int128
  let blocks: BlockTable.Shape
  let rows: RowTable.Shape
  /// The frames of a lane in use, and the frames from one lane to the next.
  let laneLength: Int
  let laneStride: Int

  init(
    _ filter: ResamplerFilter, inputRate: Double, outputRate: Double,
    quality: PolyphaseResampler.Quality, isAdjustable: Bool, maximumInputFrames: Int,
    maximumOutputFrames: Int
  ) {
    let nominal = inputRate / outputRate
    let taps = filter.tapCount
    let ratio = wholeRatio(inputRate: inputRate, outputRate: outputRate)
    exactStep = fixedPoint(nominal, ratio)
    // 1280 phases are 22.05 to 192 kHz; the table stays under 16 MB.
    let isSimple = ratio.map { $0.phases <= 1280 && $0.phases * taps <= 1 << 22 } ?? false
    phases = isSimple ? ratio?.phases ?? 0 : 0
    phaseStep = isSimple ? ratio?.step ?? 0 : 0
    blocks = .init(filter, phases: nominal == 1 ? 0 : phases, step: phaseStep)
    rows = .init(
      filter, step: nominal, density: quality.rowDensity, isNeeded: phases == 0 || isAdjustable)
    // Room for the largest pull and a push in addition, and then so much that the lanes are moved
    // seldom.
    let largestNeed = Int(
      (Double(maximumOutputFrames) * nominal * (1 + PolyphaseResampler.maximumDeviation))
        .rounded(.up))
    let overlap = max(blocks.width, rows.width)
    let length = taps + overlap + largestNeed + maximumInputFrames + 2
    laneLength = (length + max(2 * taps, length / 2) + 15) / 16 * 16
    // Rows are read to their ends, beyond the frames pushed.
    laneStride = laneLength + (overlap - taps + 15) / 16 * 16
  }

  func bytes(channelCount: Int) -> Int {
    let sample = MemoryLayout<Float>.size
    return sample * (blocks.count + rows.count + rows.computedCount + laneStride * channelCount)
  }
}

/// `inputRate / outputRate` as a fraction in lowest terms, where both are multiples of 2^-12 Hz;
/// `nil` otherwise.
private func wholeRatio(inputRate: Double, outputRate: Double) -> (phases: Int, step: Int)? {
  // Rates with a fraction, such as 11127.5, become whole by doubling.
  var scale = 1.0
  while scale < 4096,
    (inputRate * scale).rounded() != inputRate * scale
      || (outputRate * scale).rounded() != outputRate * scale
  { scale *= 2 }
  guard let input = Int(exactly: inputRate * scale), let output = Int(exactly: outputRate * scale)
  else { return nil }
  var (divisor, rest) = (input, output)
  while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
  return (output / divisor, input / divisor)
}

/// The step in 2^-64 frames, rounded up, so that a position that should be a whole number is never
/// just below it.
private func fixedPoint(_ value: Double, _ ratio: (phases: Int, step: Int)?) -> Int128 {
  if let ratio, ratio.step < 1 << 62 {
    return (Int128(ratio.step) << 64 + Int128(ratio.phases - 1)) / Int128(ratio.phases)
  }
  let whole = value.rounded(.down)
  return Int128(whole) << 64 + Int128((value - whole) * 0x1p64)
}
