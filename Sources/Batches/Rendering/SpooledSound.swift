import SoundMeasures

/// A sound that is too long for memory, kept in a file of interleaved floats until its gain is
/// known. Its true peak is measured on the way. Not thread-safe.
struct SpooledSound {
  private let file: RawFile
  private let channelCount: Int
  private let sampleRate: Double
  private var block: [UInt8] = []
  private var failure: RawFile.Failure?
  /// The next frames for the true peak, beginning with the end of the last window.
  private var window: [[Float]]
  private var peak = -Double.infinity

  /// The length of a window for the true peak, and of the fades at its ends, in frames. Fades
  /// prevent a false peak at a cut; the faded frames are in the middle of the next window.
  private static let windowFrames = 1 << 18
  private static let fadeFrames = 1 << 13

  /// - Parameter path: The file to create. A file that a killed process has left is replaced.
  init(_ path: String, channelCount: Int, sampleRate: Double) throws(RawFile.Failure) {
    RawFile.remove(path)
    file = try RawFile(path, for: .appending)
    self.channelCount = channelCount
    self.sampleRate = sampleRate
    window = Array(repeating: [], count: channelCount)
  }

  mutating func add(_ samples: [Double], frameCount: Int) {
    for index in 0..<frameCount * channelCount {
      let sample = Float(samples[index])
      window[index % channelCount].append(sample)
      let bits = sample.bitPattern
      for shift in [0, 8, 16, 24] as [UInt32] {
        block.append(UInt8(truncatingIfNeeded: bits >> shift))
      }
    }
    if window[0].count >= Self.windowFrames { updatePeak(isLast: false) }
    if block.count >= 1 << 20 { flush() }
  }

  private mutating func flush() {
    guard failure == nil else { return }
    do throws(RawFile.Failure) { try file.write(block) } catch { failure = error }
    block.removeAll(keepingCapacity: true)
  }

  private var isFirst = true

  /// Updates the peak from the window.
  private mutating func updatePeak(isLast: Bool) {
    let length = window[0].count
    var faded = window
    for frame in 0..<min(Self.fadeFrames, length) {
      let gain = Float(frame) / Float(Self.fadeFrames)
      for channel in 0..<channelCount {
        if !isFirst { faded[channel][frame] *= gain }
        if !isLast { faded[channel][length - 1 - frame] *= gain }
      }
    }
    let found = Sound(sampleRate: sampleRate, channels: faded).truePeak().map(\.value).max()
    peak = max(peak, found ?? -.infinity)
    for channel in 0..<channelCount {
      window[channel].removeFirst(max(0, length - 2 * Self.fadeFrames))
    }
    isFirst = false
  }

  /// The true peak in dBTP. To be called once, after the last `add`.
  mutating func truePeak() throws(RawFile.Failure) -> Double {
    updatePeak(isLast: true)
    flush()
    if let failure { throw failure }
    return peak
  }

  /// Reads the sound back, multiplied by a factor, in blocks.
  func read(times factor: Float, _ body: ([Float], Int) -> Void) throws(RawFile.Failure) {
    let source = try RawFile(file.path, for: .reading)
    let frameBytes = 4 * channelCount
    var bytes = [UInt8](repeating: 0, count: 4096 * frameBytes)
    var rest: [UInt8] = []
    var samples = [Float](repeating: 0, count: 8192 * channelCount)
    while true {
      let count = try source.read(into: &bytes)
      if count == 0 { return }
      rest += bytes[..<count]
      let whole = rest.count / frameBytes * channelCount
      for index in 0..<whole {
        let place = 4 * index
        let bits =
          UInt32(rest[place]) | UInt32(rest[place + 1]) << 8 | UInt32(rest[place + 2]) << 16
          | UInt32(rest[place + 3]) << 24
        samples[index] = Float(bitPattern: bits) * factor
      }
      body(samples, whole)
      rest.removeFirst(4 * whole)
    }
  }

  func remove() { RawFile.remove(file.path) }
}
