import AudioTypes
import FileAccess
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
  private let words: BusWords
  private var hasSought = false
  /// Whether a sample of the file is a sample of the bus, apart from a gain: it is then read as a
  /// float and not converted.
  private let isDirect: Bool
  /// Whether the bus has the samples of the file unchanged: see `isStraight(_:_:gain:)`.
  private let isStraight: Bool
  /// Whether the file is read into the ring itself, whose frames lie as in the file.
  private let readsIntoRing: Bool
  /// A block of floats of the file: the ring's memory, where the file is read into it. Otherwise it
  /// is allocated for each filling: the services of many files that a thread calls one after the
  /// other then use the same memory, which stays in the nearest cache.
  private var floats = unsafe UnsafeMutableBufferPointer<Float>(start: nil, count: 0)
  /// The stretches of `floats` that have been read, each with its first frame in the file.
  private var readings: [(block: Range<Int>, frame: Int)] = []
  /// The frames of the file that have been lent for a slice; `nil` for none.
  private var lent: Loan?
  /// Whether it replaces another source: frames may be discarded before the first is heard, so that
  /// more have to be ready.
  private let isContinuation: Bool
  /// Whether fewer frames were ready than asked for, at the last call.
  private var wasShort = false
  /// Played in the place of the file once that has begun again; `nil` for the file.
  private var image: StoredFrames?
  private var imagePosition = 0
  private var hasLookedForImage = false

  /// Frames of the file in its own memory that the kernel reads there.
  private struct Loan {
    /// The first frame, in the file.
    var first: Int
    var samples: ChannelBuffer
    var frameCount: Int
    var stretch: MappedStretch
  }

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
    let sample = format.sampleType ?? .float32
    fileChannels = part.reader.channelCount
    fileRate = part.reader.sampleRate
    busRate = format.sampleRate
    frames = part.frames
    trouble = FileTrouble(part.reader)
    lateness = LateFrames(
      file: part.reader.path, start: Double(part.frames.lowerBound) / part.reader.sampleRate)
    written = start.frame
    pass = passes.pass(at: start.frame)
    unread = part.frames.count - start.offset
    isDirect = part.converter == nil && Self.isDirect(part.reader, sample, gain: baked)
    isStraight = Self.isStraight(part, format, gain: gain)
    readsIntoRing = isStraight && fileChannels == 2
    ring = FrameRing(
      channelCount: isStraight ? fileChannels : format.channelCount,
      minimumCapacity: max(
        Int(min(format.sampleRate, 1e6)), 4 * maximumFramesPerSlice, 4 * Self.block),
      isInterleaved: readsIntoRing)
    access = ring.access
    fileBlock = [Double](repeating: 0, count: isDirect ? 0 : Self.block * fileChannels)
    busBlock = [Double](
      repeating: 0, count: part.converter == nil ? 0 : Self.block * fileChannels)
    words = BusWords(
      sample: sample,
      sources: ChannelMapping(fileChannels: fileChannels, busChannels: format.channelCount).sources,
      fileChannels: fileChannels, ring: ring.access, capacity: Self.block)
  }

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
    try fill(upTo: frameCount, mapping: access.canLend)
  }

  /// Reads ahead until `goal` frames are ready, the ring is full or the file has ended.
  ///
  /// - Parameter mapping: Whether the kernel renders between two calls only, so that frames may stay
  ///   where the system has them.
  private func fill(upTo goal: Int, mapping: Bool = false) throws(ServiceError) {
    settleLoan()
    let isOwn = isDirect && !readsIntoRing
    if isOwn { unsafe floats = .allocate(capacity: Self.block * fileChannels) }
    defer { if isOwn { unsafe floats.deallocate() } }
    while access.room >= Self.block {
      let available = access.available
      guard available < goal else { return }
      if available == 0 { access.rewind() } else { access.takeIn() }
      let loops = loops
      if isOver {
        guard loops else { return }
        try beginAgain()
      }
      if converter != nil {
        let made = convert(loops)
        leaveGain()
        words.write(busBlock, made, gain: gain)
        written += made
      } else {
        if mapping, available == 0, lend(goal, loops) { continue }
        let block = min(Self.block, goal - available)
        var made = loops ? block : min(block, passes.end(pass) - written)
        if readsIntoRing {
          unsafe floats = access.space(for: made)
          made = unsafe floats.count / fileChannels
        }
        read(made, wraps: loops)
        if readsIntoRing {
          access.commit(made)
          let read = unsafe ChannelBuffer(base: start, count: floats.count)
          lookForNumbers(VectorMath.largest(read))
        } else if isStraight {
          let largest = unsafe access.write(interleaved: start, frameCount: made)
          access.commit(made)
          lookForNumbers(largest)
        } else if isDirect {
          leaveGain()
          unsafe words.write(start, made, gain: gain)
        } else {
          leaveGain()
          words.write(fileBlock, made, gain: gain)
        }
        written += made
        if written > passes.end(pass) { pass = passes.pass(at: written) }
      }
    }
  }

  /// Gives the kernel the next frames where they lie in the file's memory. Returns `false` where they
  /// have to be read: in most cases the pass ends before `goal` frames.
  private func lend(_ goal: Int, _ loops: Bool) -> Bool {
    guard isStraight, fileChannels <= 2, image == nil, !trouble.hasHappened else { return false }
    let made = loops ? goal : min(goal, passes.end(pass) - written)
    seekToStart()
    guard made > 0, made <= access.room, made <= frames.upperBound - part.reader.position else {
      return false
    }
    let position = part.reader.position
    guard let (samples, owner) = unsafe part.reader.mapped(made) else { return false }
    unsafe ring.commit(outside: samples, frameCount: made, owner: owner)
    let memory = unsafe ChannelBuffer(base: samples, count: made * fileChannels)
    lent = Loan(first: position, samples: memory, frameCount: made, stretch: owner)
    written += made
    if written > passes.end(pass) { pass = passes.pass(at: written) }
    return true
  }

  /// Looks at the frames that were lent for the last slice: whether they have been cut off
  /// meanwhile, and whether all are finite, where the kernel that read them has not found out.
  private func settleLoan() {
    guard let loan = lent else { return }
    lent = nil
    if loan.stretch.isIncomplete {
      let error = SoundFileError(
        .readFailed, status: .fileFailed, "the file was cut off while it was played",
        isOfDisk: false)
      return trouble.note(error, at: loan.first, frameCount: loan.frameCount)
    }
    guard ring.finiteFrames < loan.frameCount else { return }
    lookForNumbers(in: loan.samples, from: loan.first)
  }

  private var start: UnsafeMutablePointer<Float> { unsafe floats.baseAddress.unsafelyUnwrapped }

  /// Whether a pass has ended, and no other has begun.
  private var isOver: Bool {
    guard converter == nil || isFed else { return false }
    return written >= passes.end(pass)
  }

  func finish() throws(ServiceError) {
    settleLoan()
    trouble.end()
  }

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
    seekToStart()
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

  /// Goes to the first frame, before anything is read.
  private func seekToStart() {
    guard !hasSought else { return }
    hasSought = true
    let start = frames.upperBound - unread
    if part.reader.position != start { seek(to: start) }
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
    guard !isDirect else {
      return unsafe lookForNumbers(
        in: ChannelBuffer(base: start + samples.lowerBound, count: samples.count), from: frame)
    }
    // A finite number times 0 is 0, and so is the sum of all.
    var sum = 0.0
    for index in samples { sum += fileBlock[index] * 0 }
    guard sum != 0, let first = samples.first(where: { !fileBlock[$0].isFinite }) else { return }
    trouble.noteNumber(at: frame + (first - samples.lowerBound) / fileChannels)
  }

  /// Looks for samples that are not finite among floats of the file.
  private func lookForNumbers(in floats: ChannelBuffer, from frame: Int) {
    guard !trouble.hasToldOfNumbers, VectorMath.largest(floats) >= Float.infinity.bitPattern,
      let first = floats.indices.first(where: { !floats[$0].isFinite })
    else { return }
    trouble.noteNumber(at: frame + first / fileChannels)
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
}
