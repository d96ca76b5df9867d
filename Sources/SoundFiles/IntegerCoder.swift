import AudioTypes

/// Converts samples to the integers of a file, frame by frame.
///
/// The integers do not depend on how the frames are cut into pieces.
struct IntegerCoder {
  private static let seed: UInt64 = 0x5DEE_CE66_D1CE_4E5B

  private let bits: Int
  private let channelCount: Int
  private let dither: Dither
  /// The frames of dither behind the last sample that needs it: half a second, so that it does not
  /// stop between two notes.
  private let hold: Int
  private var framesLeft = 0
  private var state = seed
  /// The last errors of each channel, the newest first; only for shaped noise.
  private var errors: [Double]
  private var frame = 0

  /// The integers of the last call, interleaved.
  private(set) var words: [Int32] = []
  /// The clipped samples since `takeClipping()`; `nil` for none.
  private(set) var clipping: Clipping?

  /// - Parameter bits: The bits of a sample: 16, 24 or 32.
  init(bits: Int, channelCount: Int, sampleRate: Double, dither: Dither) {
    self.bits = bits
    self.channelCount = channelCount
    self.dither = dither
    hold = max(1, Int(sampleRate / 2))
    errors = [Double](
      repeating: 0, count: dither == .shaped ? Dither.shape.count * channelCount : 0)
  }

  /// The frames of a block.
  private static let block = 1024
  /// The samples of a block that is converted frame by frame.
  private var numbers: [Double] = []

  /// Converts whole frames.
  ///
  /// - Parameter range: Their range in `samples`, interleaved.
  mutating func code<Sample: FileSample>(_ samples: [Sample], _ range: Range<Int>) {
    precondition(range.upperBound <= samples.count, "so many samples are there")
    if words.count != range.count { words = [Int32](repeating: 0, count: range.count) }
    unsafe samples.withUnsafeBufferPointer { samples in
      guard let base = samples.baseAddress else { return }
      var first = 0
      while first < range.count {
        let count = min(Self.block * channelCount, range.count - first)
        let block = unsafe base + range.lowerBound + first
        let isDone = unsafe codeAlike(block, count, into: first)
        if !isDone {
          unsafe take(block, count)
          codeEach(count, into: first)
        }
        first += count
        frame += count / channelCount
      }
    }
  }

  /// Moves the integers of the last call to the upper bits of 32.
  mutating func alignHigh() {
    let shift = Int32(32 - bits)
    guard shift > 0 else { return }
    unsafe words.withUnsafeMutableBufferPointer { words in
      for index in 0..<words.count { unsafe words[index] = words[index] &<< shift }
    }
  }

  /// Copies a block to `numbers`.
  private mutating func take<Sample: FileSample>(_ samples: UnsafePointer<Sample>, _ count: Int) {
    if numbers.isEmpty { numbers = [Double](repeating: 0, count: Self.block * channelCount) }
    unsafe numbers.withUnsafeMutableBufferPointer { numbers in
      guard let base = numbers.baseAddress else { return }
      unsafe Sample.convert(samples, count, to: base)
    }
  }

  /// Converts a block in which all frames are dithered or none, and nothing is clipped. Returns
  /// false for any other block.
  private mutating func codeAlike<Sample: FileSample>(
    _ samples: UnsafePointer<Sample>, _ count: Int, into first: Int
  ) -> Bool {
    guard unsafe Sample.areWithinOne(samples, count) else { return false }
    let full = Double(Int64(1) << Int64(bits - 1))
    let frames = count / channelCount
    let last = unsafe Sample.inexactCount(samples, count, full)
    // The frames behind the last one that needs dither.
    let exact = frames - (last + channelCount - 1) / channelCount
    let left = exact == frames ? framesLeft - exact : hold - exact
    let isPlain = dither == .none || (exact == frames && framesLeft == 0)
    guard isPlain || (dither == .tpdf && framesLeft > frames && hold > frames) else { return false }
    let state = state
    unsafe words.withUnsafeMutableBufferPointer { words in
      guard let base = words.baseAddress else { return }
      if isPlain {
        unsafe Sample.code(samples, count, full, into: base + first)
      } else {
        unsafe Sample.code(samples, count, full, noise: state, into: base + first)
      }
    }
    if isPlain {
      for index in errors.indices { errors[index] = 0 }
    } else {
      self.state = state &+ UInt64(count) &* NoiseSequence.step
    }
    framesLeft = max(0, left)
    return true
  }

  /// Converts the block in `numbers` frame by frame.
  private mutating func codeEach(_ count: Int, into place: Int) {
    let full = Double(Int64(1) << Int64(bits - 1))
    var first = 0
    while first < count {
      var isExact = true
      for index in first..<first + channelCount {
        let value = numbers[index]
        if value.magnitude > 1 { noteClipping(value, first / channelCount) }
        // NaN becomes 0, with or without noise.
        let scaled = value * full
        isExact = isExact && (scaled == scaled.rounded() || scaled != scaled) && scaled < full
      }
      framesLeft = isExact ? max(0, framesLeft - 1) : hold
      if dither == .none || framesLeft == 0 {
        for index in first..<first + channelCount {
          words[place + index] = integer(numbers[index], bits: bits)
        }
        if framesLeft == 0 { for index in errors.indices { errors[index] = 0 } }
      } else {
        for channel in 0..<channelCount {
          words[place + first + channel] = dithered(numbers[first + channel], full, channel)
        }
      }
      first += channelCount
    }
  }

  /// The clipped samples since the last call; `nil` for none.
  mutating func takeClipping() -> Clipping? {
    defer { clipping = nil }
    return clipping
  }

  private mutating func noteClipping(_ value: Double, _ place: Int) {
    guard value == value else { return }
    clipping = Clipping(
      sampleCount: (clipping?.sampleCount ?? 0) + 1,
      firstFrame: clipping?.firstFrame ?? frame + place)
  }

  private mutating func dithered(_ value: Double, _ full: Double, _ channel: Int) -> Int32 {
    let noise = noise()
    guard value == value else { return 0 }
    var wanted = value * full
    let place = channel * Dither.shape.count
    if dither == .shaped {
      for (index, factor) in Dither.shape.enumerated() { wanted += factor * errors[place + index] }
    }
    let coded = integer((wanted + noise) / full, bits: bits)
    if dither == .shaped {
      for index in (1..<Dither.shape.count).reversed() {
        errors[place + index] = errors[place + index - 1]
      }
      // Limited, because clipping is no error that later samples could compensate for.
      errors[place] = min(2, max(-2, Double(coded) - wanted))
    }
    return coded
  }

  /// The noise for the next sample, in steps of the format: -1 to 1.
  private mutating func noise() -> Double {
    state &+= NoiseSequence.step
    return NoiseSequence.triangle(state)
  }
}
