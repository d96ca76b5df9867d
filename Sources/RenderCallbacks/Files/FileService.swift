import AudioTypes
import RenderCore
import SoundFiles

// MARK: - Service thread

/// Reads, converts and maps the frames of a file, and writes words for the bus into a ring.
///
/// The service applies the gain until it changes, so that each bit of a file reaches the bus. After
/// a change the kernel applies it to all later frames. Whether the file loops is looked up each
/// time it has been read to its end.
///
/// `@unchecked Sendable`: its calls come one at a time, as `RenderService` says; the ring and the
/// counters are made for two threads.
@safe
final class FileService: RenderService, @unchecked Sendable {
  let ring: FrameRing
  let lost = ControlBlock(count: 1)
  /// The first frame of the ring whose words are without a gain, plus 1; 0 for none.
  let unscaled = CounterBlock(count: 1)
  /// The gain of the words before that; never 0.
  let baked: Double
  private let settings: CallbackInstance
  private let gainIndex: Int
  private let loopIndex: Int
  private let initialGain: UInt32
  private let access: FrameRingAccess
  private let part: FileCallback.Part
  private let passes: FilePasses
  private var converter: RateConverter?
  private var gain: Double
  private let sample: SampleType
  private let sources: [ChannelMapping.Source]
  private let fileChannels: Int
  private let fileRate: Double
  private let busRate: Double
  /// Frames of the bus that have been written.
  private var written: Int
  /// The present pass, counted from 1, and its frames that the converter has not been given.
  private var pass: Int
  private var unread: Int
  /// Whether the converter has been given the last frame of the last pass.
  private var isFed = false
  private let frames: Range<Int>
  private var trouble: FileTrouble
  private var lateness: LateFrames

  /// Frames that are read, converted and written at a time.
  private static let block = 4096
  private var fileBlock: [Double]
  private var fileBlockRange = 0..<0
  private var busBlock: [Double]
  private let lane: UnsafeMutablePointer<Float>
  private var hasSought = false
  /// Whether a sample of the file is a sample of the bus, apart from a gain: it is then read as a
  /// float and not converted.
  private let isDirect: Bool
  /// Whether the bus has the samples of the file unchanged: see `isStraight(_:_:gain:)`.
  private let isStraight: Bool
  /// A block of floats of the file. Allocated for each filling: the services of many files that a
  /// thread calls one after the other then use the same memory, which stays in the nearest cache.
  private var floats = unsafe UnsafeMutableBufferPointer<Float>(start: nil, count: 0)
  /// The stretches of `floats` that have been read, each with its first frame in the file.
  private var readings: [(block: Range<Int>, frame: Int)] = []
  /// Whether it replaces another source: frames may be discarded before the first is heard, so that
  /// more have to be ready.
  private let isContinuation: Bool
  /// Whether fewer frames were ready than asked for, at the last call.
  private var wasShort = false
  /// Played in the place of the file once that has begun again; `nil` for the file.
  private var image: StoredFrames?
  private var imagePosition = 0
  private var hasLookedForImage = false

  init(
    part: FileCallback.Part, passes: FilePasses, start: FilePasses.Start,
    settings: CallbackInstance, gain: Double, format: StreamFormat, maximumFramesPerSlice: Int,
    isContinuation: Bool
  ) {
    self.part = part
    self.isContinuation = isContinuation
    self.passes = passes
    self.settings = settings
    gainIndex = settings.index(of: "gain") ?? 0
    loopIndex = settings.index(of: "loop") ?? 0
    initialGain = settings.block[word: gainIndex]
    converter = part.converter
    baked = gain == 0 ? 1 : gain
    self.gain = baked
    // With a gain of 0 the kernel applies the gain from the beginning.
    if gain == 0 { unscaled.access[0] = 1 }
    sample = format.sampleType ?? .float32
    fileChannels = part.reader.channelCount
    fileRate = part.reader.sampleRate
    busRate = format.sampleRate
    sources =
      ChannelMapping(fileChannels: fileChannels, busChannels: format.channelCount).sources
    frames = part.frames
    trouble = FileTrouble(part.reader)
    lateness = LateFrames(
      file: part.reader.path, start: Double(part.frames.lowerBound) / part.reader.sampleRate)
    written = start.frame
    pass = passes.pass(at: start.frame)
    unread = part.frames.count - start.offset
    isDirect = part.converter == nil && Self.isDirect(part.reader, sample, gain: baked)
    isStraight = Self.isStraight(part, format, gain: gain)
    ring = FrameRing(
      channelCount: isStraight ? fileChannels : format.channelCount,
      minimumCapacity: max(
        Int(min(format.sampleRate, 1e6)), 4 * maximumFramesPerSlice, 4 * Self.block))
    access = ring.access
    fileBlock = [Double](repeating: 0, count: isDirect ? 0 : Self.block * fileChannels)
    busBlock = [Double](
      repeating: 0, count: part.converter == nil ? 0 : Self.block * fileChannels)
    unsafe lane = .allocate(capacity: Self.block)
    unsafe lane.initialize(repeating: 0, count: Self.block)
  }

  deinit { unsafe lane.deallocate() }

  /// Whether the bus has the samples of the file unchanged: its channels in their order, or its only one on all
  /// channels.
  static func isStraight(
    _ part: FileCallback.Part, _ format: StreamFormat, gain: Double
  ) -> Bool {
    guard part.converter == nil, gain == 1,
      isDirect(part.reader, format.sampleType ?? .float32, gain: 1)
    else { return false }
    let fileChannels = part.reader.channelCount
    let sources = ChannelMapping(fileChannels: fileChannels, busChannels: format.channelCount)
      .sources
    return sources.enumerated().allSatisfy { channel, source in
      guard case .channel(let index) = source else { return false }
      return index == (fileChannels == 1 ? 0 : channel)
    } && (fileChannels == 1 || sources.count == fileChannels)
  }

  /// Whether floats of the file, times a gain, are what the bus carries.
  private static func isDirect(
    _ reader: SoundFileReader, _ sample: SampleType, gain: Double
  ) -> Bool {
    switch sample {
    case .float32: reader.fitsFloat
    case .int16: gain == 1 && reader.sampleType == .int16
    case .int24: gain == 1 && (reader.sampleType == .int16 || reader.sampleType == .int24)
    case .int32, .fixed824: false
    }
  }

  var lostFrames: Int { Int(lost[word: 0]) }

  /// Whether the file begins again at its end.
  private var loops: Bool { settings.block[loopIndex] != 0 }

  func service(atLeast frameCount: Int) throws(ServiceError) {
    access.stopLending()
    let available = access.available
    wasShort = available < frameCount
    guard available < access.capacity / 2 || wasShort else { return }
    try fill(upTo: .max)
  }

  /// Seconds until the ring has to be filled again.
  func secondsToSpare(atLeast frameCount: Int) -> Double {
    // The kernel may discard frames that have come late, all at once.
    guard !wasShort else { return 0 }
    let available = access.available
    // Looping may be turned on at any time; after the last frame there would be nothing to play.
    guard loops || !isOver else { return Double(available) / (8 * busRate) }
    return access.secondsToSpare(available, atLeast: frameCount, sampleRate: busRate)
  }

  func service(inStepFor frameCount: Int) throws(ServiceError) {
    guard !isContinuation else { return try service(atLeast: frameCount) }
    try fill(upTo: frameCount)
  }

  /// Reads ahead until `goal` frames are ready, the ring is full or the file has ended.
  private func fill(upTo goal: Int) throws(ServiceError) {
    if isDirect { unsafe floats = .allocate(capacity: Self.block * fileChannels) }
    defer { unsafe floats.deallocate() }
    while access.room >= Self.block {
      let available = access.available
      guard available < goal else { return }
      if available == 0 { access.rewind() }
      let loops = loops
      if isOver {
        guard loops else { return }
        try beginAgain()
      }
      if converter != nil {
        let made = convert(loops)
        put(busBlock, made)
        written += made
      } else {
        let block = min(Self.block, goal - available)
        let made = loops ? block : min(block, passes.end(pass) - written)
        read(made, wraps: loops)
        if isStraight {
          let largest = unsafe access.write(interleaved: start, frameCount: made)
          access.commit(made)
          lookForNumbers(largest)
        } else if isDirect {
          unsafe put(start, made)
        } else {
          put(fileBlock, made)
        }
        written += made
        if written > passes.end(pass) { pass = passes.pass(at: written) }
      }
    }
  }

  private var start: UnsafeMutablePointer<Float> { unsafe floats.baseAddress.unsafelyUnwrapped }

  /// Whether a pass has ended, and no other has begun.
  private var isOver: Bool {
    guard converter == nil || isFed else { return false }
    return written >= passes.end(pass)
  }

  func finish() throws(ServiceError) { trouble.end() }

  func takeEvents() -> [ServiceEvent] {
    // Called after each slice, mostly for a file without any trouble.
    if trouble.isEmpty, lostFrames == 0 { return [] }
    lateness.note(
      lost: lostFrames, played: access.totalRead, sampleRate: busRate,
      partLength: Double(frames.count) / part.reader.sampleRate)
    return trouble.take() + lateness.take()
  }

  /// Begins the next pass.
  private func beginAgain() throws(ServiceError) {
    guard converter != nil else {
      pass += 1
      return
    }
    do throws(SoundFileError) {
      converter = try RateConverter(from: fileRate, to: busRate, channelCount: fileChannels)
    } catch {
      throw ServiceError(error.message)
    }
    isFed = false
    fileBlockRange = 0..<0
    unread = 0
  }

  /// Fills `busBlock` with converted frames, at most a block, and none beyond the end. Returns how
  /// many.
  private func convert(_ loops: Bool) -> Int {
    guard let converter else { return 0 }
    while true {
      if fileBlockRange.isEmpty && !isFed { feed(loops) }
      let given: Int
      if fileBlockRange.isEmpty {
        let wanted = max(0, min(Self.block, passes.end(pass) - written))
        given = converter.flush(into: &busBlock)
        return given == 0 ? silence(wanted) : min(given, wanted)
      }
      let taken: Int
      (taken, given) = converter.convert(
        fileBlock, from: fileBlockRange.lowerBound, frameCount: fileBlockRange.count,
        into: &busBlock)
      fileBlockRange = fileBlockRange.lowerBound + taken..<fileBlockRange.upperBound
      if given > 0 { return given }
    }
  }

  /// Reads the next frames for the converter; none at the end of a file that does not loop.
  private func feed(_ loops: Bool) {
    if unread == 0 {
      guard loops else {
        isFed = true
        return
      }
      pass += 1
      unread = passes.length
    }
    read(Self.block, wraps: loops)
    let length = loops ? Self.block : min(Self.block, unread)
    unread -= length
    while unread < 0 {
      pass += 1
      unread += passes.length
    }
    fileBlockRange = 0..<length
  }

  private func silence(_ wanted: Int) -> Int {
    for index in busBlock.indices { busBlock[index] = 0 }
    return wanted
  }

  /// Reads the next `wanted` frames of the part, from its beginning again where it loops. Frames
  /// beyond its end, and those that cannot be read, are zeros.
  private func read(_ wanted: Int, wraps: Bool) {
    var done = 0
    let reader = part.reader
    if !hasSought {
      hasSought = true
      let start = frames.upperBound - unread
      if reader.position != start { seek(to: start) }
    }
    while done < wanted {
      let position = image == nil ? reader.position : imagePosition
      let length = min(wanted - done, frames.upperBound - position)
      if length > 0 {
        done += read(length, at: done)
      } else if wraps {
        trouble.restart()
        lookForImage()
        seek(to: frames.lowerBound)
      } else {
        silence(done..<wanted)
        done = wanted
      }
    }
  }

  /// Reads frames of the part. Those that cannot be read are silence, and the file goes on behind
  /// them: later frames are heard when they are due.
  private func read(_ length: Int, at first: Int) -> Int {
    let reader = part.reader
    if let image {
      unsafe image.copy(
        imagePosition..<imagePosition + length, to: start + first * fileChannels)
      if !image.isFinite { lookForNumbers(first..<first + length, from: imagePosition) }
      imagePosition += length
      return length
    }
    let begin = reader.position
    guard !trouble.isGivenUp else {
      silence(first..<first + length)
      seek(to: begin + length)
      return length
    }
    do throws(SoundFileError) {
      let count =
        isDirect
        ? try unsafe reader.read(into: start + first * fileChannels, frameCount: length)
        : try reader.read(into: &fileBlock, at: first, frameCount: length)
      trouble.end()
      if isStraight {
        readings.append((first..<first + count, begin))
      } else {
        lookForNumbers(first..<first + count, from: begin)
      }
      // Only of a file that does not say how long it is.
      if count < length { silence(first + count..<first + length) }
      if count < length { seek(to: begin + length) }
    } catch {
      let count = reader.position - begin
      trouble.note(error, at: begin + count, frameCount: length - count)
      silence(first + count..<first + length)
      seek(to: begin + length)
    }
    return length
  }

  /// Looks for samples that are not finite in the block that has been read, whose largest magnitude
  /// is given by its bits.
  private func lookForNumbers(_ largest: UInt32) {
    if largest >= Float.infinity.bitPattern {
      for reading in readings { lookForNumbers(reading.block, from: reading.frame) }
    }
    readings.removeAll(keepingCapacity: true)
  }

  /// Looks for samples that are not finite, in a file that can hold them.
  private func lookForNumbers(_ range: Range<Int>, from frame: Int) {
    let isFloat = part.reader.sampleType?.isFloat == true
    guard isFloat, !trouble.hasToldOfNumbers else { return }
    let samples = range.lowerBound * fileChannels..<range.upperBound * fileChannels
    if isDirect {
      let buffer = unsafe ChannelBuffer(
        base: start + samples.lowerBound, count: samples.count)
      guard VectorMath.largest(buffer) >= Float.infinity.bitPattern,
        let first = samples.first(where: { unsafe !floats[$0].isFinite })
      else { return }
      return trouble.noteNumber(at: frame + (first - samples.lowerBound) / fileChannels)
    }
    // A finite number times 0 is 0, and so is the sum of all.
    var sum = 0.0
    for index in samples { sum += fileBlock[index] * 0 }
    guard sum != 0, let first = samples.first(where: { !fileBlock[$0].isFinite }) else { return }
    trouble.noteNumber(at: frame + (first - samples.lowerBound) / fileChannels)
  }

  /// When the part begins again for the first time: keeps the file in memory, where it is short
  /// enough.
  private func lookForImage() {
    guard !hasLookedForImage else { return }
    hasLookedForImage = true
    guard isDirect, !trouble.hasHappened else { return }
    image = FileImage.frames(of: part.reader)
  }

  private func seek(to frame: Int) {
    guard image == nil else {
      imagePosition = frame
      return
    }
    do throws(SoundFileError) { try part.reader.seek(to: frame) } catch {
      trouble.note(error, at: frame, frameCount: 0)
    }
  }

  private func silence(_ range: Range<Int>) {
    for index in range.lowerBound * fileChannels..<range.upperBound * fileChannels {
      if isDirect { unsafe floats[index] = 0 } else { fileBlock[index] = 0 }
    }
  }

  /// Once the gain has been changed, the words are written without it.
  private func leaveGain() {
    guard gain != 1, settings.block[word: gainIndex] != initialGain else { return }
    gain = 1
    unscaled.access[0] = UInt64(truncatingIfNeeded: access.totalWritten + 1)
  }

  /// Writes interleaved samples with the gain, a channel at a time.
  private func put(_ block: UnsafePointer<Float>, _ frameCount: Int) {
    leaveGain()
    let buffer = unsafe ChannelBuffer(base: lane, count: frameCount)
    for (channel, source) in sources.enumerated() {
      switch source {
      case .channel(let index):
        unsafe pick(block + index, stride: fileChannels, times: gain, into: buffer)
      case .mean:
        for frame in 0..<frameCount {
          let mean = unsafe (Double(block[frame * 2]) + Double(block[frame * 2 + 1])) / 2
          unsafe lane[frame] = Float(mean * gain)
        }
      case .silence: buffer.clear()
      }
      access.write(buffer, channel: channel)
    }
    access.commit(frameCount)
  }

  /// Encodes interleaved numbers as words of the bus with the gain, a channel at a time, and writes
  /// them.
  private func put(_ block: [Double], _ frameCount: Int) {
    leaveGain()
    let buffer = unsafe ChannelBuffer(base: lane, count: frameCount)
    unsafe block.withUnsafeBufferPointer { block in
      guard let base = block.baseAddress else { return }
      for (channel, source) in sources.enumerated() {
        switch source {
        case .channel(let index):
          if sample == .float32 {
            unsafe pick(base + index, stride: fileChannels, times: gain, into: buffer)
          } else {
            encode(frameCount) { unsafe base[$0 * fileChannels + index] }
          }
        case .mean:
          encode(frameCount) { unsafe (base[$0 * 2] + base[$0 * 2 + 1]) / 2 }
        case .silence: buffer.clear()
        }
        access.write(buffer, channel: channel)
      }
    }
    access.commit(frameCount)
  }

  @inline(__always)
  private func encode(_ frameCount: Int, _ value: (Int) -> Double) {
    switch sample {
    case .float32:
      for frame in 0..<frameCount { unsafe lane[frame] = Float(value(frame) * gain) }
    case .int16, .int24:
      for frame in 0..<frameCount {
        let word = SampleCoding.word(value(frame) * gain, as: sample)
        unsafe lane[frame] = Float(SampleCoding.value(word, of: sample))
      }
    case .int32, .fixed824:
      for frame in 0..<frameCount {
        let word = SampleCoding.word(value(frame) * gain, as: sample)
        unsafe lane[frame] = Float(bitPattern: UInt32(bitPattern: word))
      }
    }
  }
}
