/// Convolves a part of a response in equal blocks, by overlap-save with a delay line of spectra:
/// one transform for each block of input, one product for each block of taps, one inverse
/// transform.
///
/// A stage whose taps begin one block late computes its output for a block when the block begins. A
/// stage whose taps begin two blocks late (`waits`) has the duration of a block to compute its
/// output for the next.
struct ConvolutionStage: ~Copyable {
  private let blockLength: Int
  private let partitionCount: Int
  private let inputCount: Int
  private let outputCount: Int
  private let waits: Bool
  private var fft: RealFFT
  /// The numbers from one spectrum to the next.
  private let stride: Int
  /// The spectra of the taps, by response and partition.
  private let tapsReal: SampleStorage
  private let tapsImaginary: SampleStorage
  /// The spectra of the input, by input and partition; the newest is at `newest`.
  private let delayedReal: SampleStorage
  private let delayedImaginary: SampleStorage
  private var newest = 0
  private let sumReal: SampleStorage
  private let sumImaginary: SampleStorage
  private let samples: SampleStorage
  /// The output for the current block, by output and frame.
  private let current: SampleStorage
  /// The output for the next block, likewise.
  private let next: SampleStorage

  // The job: the computation between two blocks, in steps.
  private let jobCost: Int
  private var jobSpent: Int
  private var jobPosition = 0
  private var jobInput = 0
  private var jobOutput = 0
  private var jobPath = 0
  private var jobPartition = 0
  private var jobIsDone = true

  /// The cost of a transform in products of two spectra, as measured for 8192 samples.
  private static var transformCost: Int { @_noLocks get { 24 } }

  init(
    responses: [[Float]], first: Int, last: Int, blockLength: Int, paths: [Convolver.Path],
    inputCount: Int, outputCount: Int, waits: Bool
  ) {
    let partitionCount = last > first ? (last - first + blockLength - 1) / blockLength : 0
    self.blockLength = blockLength
    self.partitionCount = partitionCount
    self.inputCount = inputCount
    self.outputCount = outputCount
    self.waits = waits
    // A stage without taps takes hardly any memory.
    let length = partitionCount > 0 ? blockLength : 2
    var fft = RealFFT(length: 2 * length)
    let stride = (fft.binCount + 15) / 16 * 16
    self.stride = stride
    let parts = max(1, partitionCount)
    tapsReal = SampleStorage(repeating: 0, count: responses.count * parts * stride)
    tapsImaginary = SampleStorage(repeating: 0, count: responses.count * parts * stride)
    delayedReal = SampleStorage(repeating: 0, count: inputCount * parts * stride)
    delayedImaginary = SampleStorage(repeating: 0, count: inputCount * parts * stride)
    sumReal = SampleStorage(repeating: 0, count: stride)
    sumImaginary = SampleStorage(repeating: 0, count: stride)
    samples = SampleStorage(repeating: 0, count: 2 * length)
    current = SampleStorage(repeating: 0, count: outputCount * length)
    next = SampleStorage(repeating: 0, count: outputCount * length)
    for (index, response) in responses.enumerated() {
      for part in 0..<partitionCount {
        let start = first + part * length
        for tap in 0..<2 * length {
          let isInside = tap < length && start + tap < last
          samples[tap] = isInside ? response[start + tap] : 0
        }
        let place = (index * partitionCount + part) * stride
        fft.forward(
          samples.buffer(at: 0, count: 2 * length), real: tapsReal.buffer(at: place, count: stride),
          imaginary: tapsImaginary.buffer(at: place, count: stride))
      }
    }
    self.fft = fft
    jobCost = (inputCount + outputCount) * Self.transformCost + paths.count * partitionCount
    jobSpent = 0
  }

  /// Adds the stage's output to `count` frames from the frame `position` on, all within one tick.
  @_noLocks
  mutating func add(
    _ output: Int, _ position: Int, _ count: Int, _ sink: UnsafeMutablePointer<Float>
  ) {
    guard partitionCount > 0 else { return }
    let source = unsafe current.start + output * blockLength + position % blockLength
    for frame in 0..<count { unsafe sink[frame] += source[frame] }
  }

  /// Does the share of the work that is due at the end of a tick, at the frame `position`.
  @_noLocks
  mutating func work(
    at position: Int, _ past: UnsafeMutablePointer<Float>, _ pastLength: Int,
    _ paths: borrowing ConvolutionPaths
  ) {
    guard partitionCount > 0 else { return }
    let reached = position % blockLength
    if reached != 0 {
      unsafe advance(to: (jobCost * reached) / blockLength, past, pastLength, paths)
      return
    }
    if waits {
      unsafe advance(to: jobCost, past, pastLength, paths)
      begin(at: position)
      finish()
    } else {
      begin(at: position)
      unsafe advance(to: jobCost, past, pastLength, paths)
      finish()
    }
  }

  /// Makes the computed block the current one.
  @_noLocks
  private mutating func finish() {
    for index in 0..<outputCount * blockLength { current[index] = next[index] }
  }

  @_noLocks
  private mutating func begin(at position: Int) {
    jobPosition = position
    jobSpent = 0
    jobInput = 0
    jobOutput = 0
    jobPath = 0
    jobPartition = 0
    jobIsDone = false
    newest = newest == 0 ? partitionCount - 1 : newest - 1
  }

  @_noLocks
  private mutating func advance(
    to cost: Int, _ past: UnsafeMutablePointer<Float>, _ pastLength: Int,
    _ paths: borrowing ConvolutionPaths
  ) {
    while !jobIsDone {
      if jobSpent >= cost { return }
      if jobInput < inputCount {
        unsafe transformInput(past, pastLength)
      } else if jobPath < paths.first(of: jobOutput + 1) {
        multiply(paths.input(of: jobPath), paths.response(of: jobPath))
      } else {
        transformOutput()
      }
    }
  }

  @_noLocks
  private mutating func transformInput(_ past: UnsafeMutablePointer<Float>, _ pastLength: Int) {
    let channel = unsafe past + jobInput * pastLength
    for half in 0..<2 {
      // Twice the ring's length keeps the sum from being negative.
      let start = (jobPosition + 2 * pastLength - (2 - half) * blockLength) % pastLength
      let source = unsafe channel + start
      let sink = unsafe samples.start + half * blockLength
      for frame in 0..<blockLength { unsafe sink[frame] = source[frame] }
    }
    let place = (jobInput * partitionCount + newest) * stride
    fft.forward(
      samples.buffer(at: 0, count: 2 * blockLength),
      real: delayedReal.buffer(at: place, count: stride),
      imaginary: delayedImaginary.buffer(at: place, count: stride))
    jobInput += 1
    jobSpent += Self.transformCost
    if jobInput == inputCount { clearSum() }
  }

  @_noLocks
  private mutating func clearSum() {
    for bin in 0..<stride {
      sumReal[bin] = 0
      sumImaginary[bin] = 0
    }
  }

  /// Adds the product of one block of taps of one path.
  @_noLocks
  private mutating func multiply(_ input: Int, _ response: Int) {
    var age = newest + jobPartition
    if age >= partitionCount { age -= partitionCount }
    let delayed = (input * partitionCount + age) * stride
    let taps = (response * partitionCount + jobPartition) * stride
    let xReal = unsafe delayedReal.start + delayed
    let xImaginary = unsafe delayedImaginary.start + delayed
    let hReal = unsafe tapsReal.start + taps
    let hImaginary = unsafe tapsImaginary.start + taps
    let real = unsafe sumReal.start
    let imaginary = unsafe sumImaginary.start
    for bin in 0..<stride {
      unsafe real[bin] += xReal[bin] * hReal[bin] - xImaginary[bin] * hImaginary[bin]
      unsafe imaginary[bin] += xReal[bin] * hImaginary[bin] + xImaginary[bin] * hReal[bin]
    }
    jobSpent += 1
    jobPartition += 1
    if jobPartition == partitionCount {
      jobPartition = 0
      jobPath += 1
    }
  }

  @_noLocks
  private mutating func transformOutput() {
    fft.inverse(
      real: sumReal.buffer(at: 0, count: stride),
      imaginary: sumImaginary.buffer(at: 0, count: stride),
      into: samples.buffer(at: 0, count: 2 * blockLength))
    for frame in 0..<blockLength {
      next[jobOutput * blockLength + frame] = samples[blockLength + frame]
    }
    clearSum()
    jobSpent += Self.transformCost
    jobOutput += 1
    jobIsDone = jobOutput == outputCount
  }
}
