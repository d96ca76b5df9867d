/// Convolution with long responses and no latency: each output frame includes all taps, up to the
/// input frame of the same time.
///
/// The response is partitioned after W. G. Gardner, "Efficient Convolution without Input-Output
/// Delay" (1995). The first 64 taps are convolved directly, the others in the frequency domain in
/// blocks of 64 frames up to tap 1024, of 512 frames up to tap 8192, and then of 4096 frames: later
/// taps leave more time. The work for the longer blocks is spread evenly, in portions of 64 frames.
///
/// The blocks are aligned to the first frame ever processed, so that the output does not depend on
/// slices. Sums are floats.
public struct Convolver: ~Copyable {
  /// A response between an input and an output.
  public struct Path: Hashable, Sendable {
    /// The input channel.
    public var input: Int
    /// The output channel.
    public var output: Int
    /// The index of the response.
    public var response: Int

    public init(input: Int, output: Int, response: Int) {
      self.input = input
      self.output = output
      self.response = response
    }
  }

  /// The frames between two portions of work, and the taps that are convolved directly.
  static var tick: Int { @_noLocks get { 64 } }

  /// The number of taps of each response.
  public let length: Int
  /// The number of responses between an input and an output.
  public var pathCount: Int { paths.count }
  private let inputCount: Int
  private let outputCount: Int
  private let paths: ConvolutionPaths
  /// The first `tick` taps of each response.
  private let head: SampleStorage
  /// The frames of the last tick and of the current one, for each input.
  private let recent: SampleStorage
  /// A ring of the frames that the largest blocks still need, for each input.
  private let past: SampleStorage
  private let pastLength: Int
  private var near: ConvolutionStage
  private var middle: ConvolutionStage
  private var far: ConvolutionStage
  private var position = 0

  /// - Parameters:
  ///   - responses: All equally long, with at least one tap.
  ///   - paths: The responses between inputs and outputs; an output without a path is silent.
  public init(responses: [[Float]], paths: [Path], inputCount: Int, outputCount: Int) {
    precondition(
      !responses.isEmpty && !responses[0].isEmpty
        && responses.allSatisfy { $0.count == responses[0].count },
      "there is a response, and all are equally long")
    precondition(
      inputCount > 0 && outputCount > 0
        && paths.allSatisfy {
          (0..<inputCount).contains($0.input) && (0..<outputCount).contains($0.output)
            && responses.indices.contains($0.response)
        }, "each path is between an input and an output that there are")
    let tick = Self.tick
    length = responses[0].count
    self.inputCount = inputCount
    self.outputCount = outputCount
    self.paths = ConvolutionPaths(paths, outputCount: outputCount)
    head = SampleStorage(repeating: 0, count: responses.count * tick)
    for (index, response) in responses.enumerated() {
      for (tap, value) in response.prefix(tick).enumerated() { head[index * tick + tap] = value }
    }
    recent = SampleStorage(repeating: 0, count: inputCount * 2 * tick)
    func stage(_ blockLength: Int, from first: Int, to last: Int, waits: Bool) -> ConvolutionStage {
      ConvolutionStage(
        responses: responses, first: first, last: min(last, responses[0].count),
        blockLength: blockLength, paths: paths, inputCount: inputCount, outputCount: outputCount,
        waits: waits)
    }
    near = stage(64, from: 64, to: 1024, waits: false)
    middle = stage(512, from: 1024, to: 8192, waits: true)
    far = stage(4096, from: 8192, to: .max, waits: true)
    let largest = length > 8192 ? 4096 : length > 1024 ? 512 : 64
    pastLength = 4 * largest
    past = SampleStorage(repeating: 0, count: inputCount * pastLength)
  }

  /// Convolves a slice. `input` must have the input channels of the paths, `output` the output
  /// channels. The two must not share memory.
  @_noLocks
  public mutating func process(_ input: RenderBus, into output: RenderBus) {
    precondition(
      input.channelCount >= inputCount && output.channelCount >= outputCount
        && input.frameCount == output.frameCount, "the buses have the convolver's channels")
    let tick = Self.tick
    var done = 0
    while done < output.frameCount {
      let offset = position % tick
      let rest = output.frameCount - done
      let count = rest < tick - offset ? rest : tick - offset
      for channel in 0..<inputCount {
        let source = unsafe input[channel].start + done
        let now = unsafe recent.start + channel * 2 * tick + tick + offset
        for frame in 0..<count { unsafe now[frame] = source[frame] }
      }
      for channel in 0..<outputCount {
        let sink = unsafe output[channel].start + done
        for frame in 0..<count { unsafe sink[frame] = 0 }
        unsafe sumHead(channel, offset, count, sink)
        unsafe near.add(channel, position, count, sink)
        unsafe middle.add(channel, position, count, sink)
        unsafe far.add(channel, position, count, sink)
      }
      position += count
      done += count
      if offset + count == tick { endTick() }
    }
  }

  @_noLocks
  private mutating func sumHead(
    _ output: Int, _ offset: Int, _ count: Int, _ sink: UnsafeMutablePointer<Float>
  ) {
    let tick = Self.tick
    for path in paths.first(of: output)..<paths.first(of: output + 1) {
      let taps = unsafe head.start + paths.response(of: path) * tick
      let now = unsafe recent.start + paths.input(of: path) * 2 * tick + tick + offset
      for tap in 0..<tick {
        let value = unsafe taps[tap]
        let delayed = unsafe now - tap
        for frame in 0..<count { unsafe sink[frame] += value * delayed[frame] }
      }
    }
  }

  /// Keeps the frames of the tick, and does the work that is due.
  @_noLocks
  private mutating func endTick() {
    let tick = Self.tick
    let start = (position - tick) % pastLength
    for channel in 0..<inputCount {
      let now = unsafe recent.start + channel * 2 * tick
      let kept = unsafe past.start + channel * pastLength + start
      for frame in 0..<tick {
        unsafe kept[frame] = now[tick + frame]
        unsafe now[frame] = now[tick + frame]
      }
    }
    unsafe near.work(at: position, past.start, pastLength, paths)
    unsafe middle.work(at: position, past.start, pastLength, paths)
    unsafe far.work(at: position, past.start, pastLength, paths)
  }
}

/// Paths in the order of their outputs.
@safe
struct ConvolutionPaths: ~Copyable {
  private let numbers: UnsafeMutablePointer<Int>
  private let firsts: UnsafeMutablePointer<Int>
  let count: Int
  let outputCount: Int

  init(_ paths: [Convolver.Path], outputCount: Int) {
    // A fixed order, so that the sums do not depend on the order given.
    let sorted = paths.sorted {
      ($0.output, $0.input, $0.response) < ($1.output, $1.input, $1.response)
    }
    count = sorted.count
    self.outputCount = outputCount
    unsafe numbers = .allocate(capacity: 2 * sorted.count + 1)
    unsafe firsts = .allocate(capacity: outputCount + 1)
    for (index, path) in sorted.enumerated() {
      unsafe (numbers + 2 * index).initialize(to: path.input)
      unsafe (numbers + 2 * index + 1).initialize(to: path.response)
    }
    for output in 0...outputCount {
      let first = sorted.firstIndex { $0.output >= output } ?? sorted.count
      unsafe (firsts + output).initialize(to: first)
    }
  }

  deinit {
    unsafe numbers.deallocate()
    unsafe firsts.deallocate()
  }

  @_noLocks
  func input(of path: Int) -> Int {
    precondition(path >= 0 && path < count, "no such path")
    return unsafe numbers[2 * path]
  }

  @_noLocks
  func response(of path: Int) -> Int {
    precondition(path >= 0 && path < count, "no such path")
    return unsafe numbers[2 * path + 1]
  }

  /// The first path to `output`, or to the next output that has one.
  @_noLocks
  func first(of output: Int) -> Int {
    precondition(output >= 0 && output <= outputCount, "no such output")
    return unsafe firsts[output]
  }
}
