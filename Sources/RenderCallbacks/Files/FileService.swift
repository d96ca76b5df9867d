import AudioTypes
import RenderCore
import SoundFiles

// MARK: - Beside the render thread

/// Reads, converts and maps, and leaves words for the bus in a ring.
///
/// The gain is in the words until it is turned: each bit of a file reaches the bus then. Once it has been
/// turned, the kernel multiplies what comes from then on by itself. Whether the file begins again is
/// looked up whenever it has been read to its end.
///
/// `@unchecked Sendable`: its calls come one at a time, as `RenderService` says; the ring and the
/// counters are made for two threads.
@safe
final class FileService: RenderService, @unchecked Sendable {
  let ring: FrameRing
  let lost = ControlBlock(count: 1)
  /// The frame of the ring, plus 1, from which on the words are without a gain; 0 for none.
  let unscaled = CounterBlock(count: 1)
  /// The gain of the words before that. It is never 0.
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
  /// Frames of the bus so far.
  private var written: Int
  /// The pass that is read, counted from 1, and the frames of it that a converter has not been given.
  private var pass: Int
  private var unread: Int
  /// Whether the converter has been given the last frame of a pass that no other follows.
  private var isFed = false
  private let frames: Range<Int>
  private var trouble: FileTrouble
  private var lateness: LateFrames

  /// Frames that are read, converted and written down in one go.
  private static let block = 4096
  private var fileBlock: [Double]
  private var fileBlockRange = 0..<0
  private var busBlock: [Double]
  private let lane: UnsafeMutablePointer<Float>
  private var hasSought = false
  /// Whether a sample of the file is a sample of the bus, apart from a gain: it is read as a float then,
  /// and stays one.
  private let isDirect: Bool
  /// Whether frames are read into the ring itself, as they are in the file.
  private let isStraight: Bool
  /// Where floats that are read go to, of a block where they do not go into the ring.
  private var floats: UnsafeMutablePointer<Float>
  private let floatBlock: UnsafeMutablePointer<Float>
  /// Whether frames are thrown away before the first is heard: so many more have to be there.
  private let isContinuation: Bool
  /// Whether fewer frames waited than were asked for when it was called last.
  private var wasShort = false
  /// What is played in the place of the file once it has begun again; `nil` for the file.
  private var image: FileImage?
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
    // What is heard of nothing is left to the kernel from the beginning.
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
    isStraight = isDirect && baked == 1 && Self.isStraight(sources, fileChannels: fileChannels)
    ring = FrameRing(
      channelCount: isStraight ? fileChannels : format.channelCount,
      minimumCapacity: max(
        Int(min(format.sampleRate, 1e6)), 4 * maximumFramesPerSlice, 4 * Self.block),
      isInterleaved: isStraight)
    access = ring.access
    let blockSize = isDirect && !isStraight ? Self.block * fileChannels : 1
    unsafe floatBlock = .allocate(capacity: blockSize)
    unsafe floatBlock.initialize(repeating: 0, count: blockSize)
    unsafe floats = floatBlock
    fileBlock = [Double](repeating: 0, count: isDirect ? 0 : Self.block * fileChannels)
    busBlock = [Double](
      repeating: 0, count: part.converter == nil ? 0 : Self.block * fileChannels)
    unsafe lane = .allocate(capacity: Self.block)
    unsafe lane.initialize(repeating: 0, count: Self.block)
  }

  deinit {
    unsafe lane.deallocate()
    unsafe floatBlock.deallocate()
  }

  /// Whether the bus has the channels of the file, in their order, or the only one of it on all of its own.
  private static func isStraight(_ sources: [ChannelMapping.Source], fileChannels: Int) -> Bool {
    sources.enumerated().allSatisfy { channel, source in
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
    let available = access.available
    wasShort = available < frameCount
    guard available < access.capacity / 2 || wasShort else { return }
    try fill(upTo: .max)
  }

  /// Until half of the ring is empty.
  func secondsToSpare(atLeast frameCount: Int) -> Double {
    // The kernel may throw away what has come late, and all of it at once.
    guard !wasShort else { return 0 }
    let available = access.available
    // It may be told at any time to begin again, and has nothing to play then from the last frame on.
    guard loops || !isOver else { return Double(available) / (8 * busRate) }
    return access.secondsToSpare(available, atLeast: frameCount, sampleRate: busRate)
  }

  func service(inStepFor frameCount: Int) throws(ServiceError) {
    guard !isContinuation else { return try service(atLeast: frameCount) }
    try fill(upTo: frameCount)
  }

  /// Reads ahead until so many frames wait, the ring is full or there are no more.
  private func fill(upTo goal: Int) throws(ServiceError) {
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
        var block = min(Self.block, goal - available)
        if isStraight {
          let next = unsafe access.next
          unsafe floats = next.memory
          block = min(block, unsafe next.frameCount)
        }
        let made = loops ? block : min(block, passes.end(pass) - written)
        read(made, wraps: loops)
        if isStraight {
          access.commit(made)
        } else if isDirect {
          unsafe put(floats, made)
        } else {
          put(fileBlock, made)
        }
        written += made
        if written > passes.end(pass) { pass = passes.pass(at: written) }
      }
    }
  }

  /// Whether a pass has come to its end, and nothing is there of another.
  private var isOver: Bool {
    guard converter == nil || isFed else { return false }
    return written >= passes.end(pass)
  }

  func finish() throws(ServiceError) { trouble.end() }

  func takeEvents() -> [ServiceEvent] {
    // Asked after each slice, nearly always of a file with which all is well.
    if trouble.isEmpty, lostFrames == 0 { return [] }
    lateness.note(
      lost: lostFrames, played: access.totalRead, sampleRate: busRate,
      partLength: Double(frames.count) / part.reader.sampleRate)
    return trouble.take() + lateness.take()
  }

  /// Goes on with the next pass.
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

  /// Fills `busBlock` with frames at the rate of the bus, as many as come of a block or fewer, and none
  /// beyond the end.
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

  /// Reads the next frames for the converter; none at the end of the file, where it does not begin again.
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

  /// Fills `fileBlock` with the next `wanted` frames of the part, from its beginning again where it
  /// loops; zeros where there is no more, and where the file cannot be read.
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

  /// Reads frames of the part. Where that fails, silence stands in the place of what is missing, and the
  /// file goes on behind it: what follows is heard when it is due.
  private func read(_ length: Int, at first: Int) -> Int {
    let reader = part.reader
    if let image {
      unsafe image.copy(imagePosition, length, to: floats + first * fileChannels)
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
        ? try unsafe reader.read(into: floats + first * fileChannels, frameCount: length)
        : try reader.read(into: &fileBlock, at: first, frameCount: length)
      trouble.end()
      lookForNumbers(first..<first + count, from: begin)
      // Only of what says nowhere how long it is.
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

  /// Looks for what is no finite number, where a file can hold such a thing.
  private func lookForNumbers(_ range: Range<Int>, from frame: Int) {
    let isFloat = part.reader.sampleType?.isFloat == true
    guard isFloat, !trouble.hasToldOfNumbers else { return }
    let samples = range.lowerBound * fileChannels..<range.upperBound * fileChannels
    if isDirect {
      let buffer = unsafe ChannelBuffer(
        base: floats + samples.lowerBound, count: samples.count)
      guard VectorMath.largest(buffer) >= Float.infinity.bitPattern,
        let first = samples.first(where: { unsafe !floats[$0].isFinite })
      else { return }
      return trouble.noteNumber(at: frame + (first - samples.lowerBound) / fileChannels)
    }
    // What is finite is 0 times 0: the sum of all is, too.
    var sum = 0.0
    for index in samples { sum += fileBlock[index] * 0 }
    guard sum != 0, let first = samples.first(where: { !fileBlock[$0].isFinite }) else { return }
    trouble.noteNumber(at: frame + (first - samples.lowerBound) / fileChannels)
  }

  /// Looks, once the part has been played, whether the file may as well stay in memory: it begins again.
  private func lookForImage() {
    guard !hasLookedForImage else { return }
    hasLookedForImage = true
    guard isDirect, !trouble.hasHappened else { return }
    image = FileImage.image(of: part.reader)
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

  /// From now on the words are without a gain, where it has been turned.
  private func leaveGain() {
    guard gain != 1, settings.block[word: gainIndex] != initialGain else { return }
    gain = 1
    unscaled.access[0] = UInt64(truncatingIfNeeded: access.totalWritten + 1)
  }

  /// Hands over interleaved samples as they are but for the gain, a channel at a time.
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

  /// Turns interleaved numbers into the bus's words, a channel at a time, and hands them over.
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
