internal import Glibc
internal import RenderCore

/// A room: mono in, two decorrelated channels out.
///
/// A feedback delay network (J.-M. Jot and A. Chaigne, "Digital Delay Networks for Designing
/// Artificial Reverberators", 1991): four all-passes that turn one echo into many, then sixteen
/// delay lines whose outputs go back to their inputs through a Hadamard matrix, which keeps the
/// energy. Each line ends in a low-pass of first order, whose gains at 0 Hz and at half the sample
/// rate are 10^(-3 d / T) for a delay of d and a decay time of T there. So the sound falls by 60 dB
/// in the room's decay time at both ends of the spectrum, equally in all lines. Its energy is that
/// of the input.
///
/// It works in pieces of 32 frames on a grid of its own. After a change the old room fades out over
/// a block, and the new one begins from silence.
struct Reverberator: ~Copyable {
  private static var lineCount: Int { @_noLocks get { 16 } }
  private static var piece: Int { @_noLocks get { 32 } }
  private static var diffuserCount: Int { @_noLocks get { 4 } }
  /// The gain of the all-passes.
  private static var diffusion: Float { @_noLocks get { 0.6 } }
  private static var roomStride: Int { @_noLocks get { 3 * lineCount + 3 + diffuserCount } }

  /// For each room, for each line the delay and the low-pass's b0 and a1; then the pre-delay, the
  /// output's gain, the frames until the room is silent, and the all-passes' delays.
  private let rooms: DoubleStorage
  private let roomCount: Int
  private let lines: SampleStorage
  private let mask: Int
  private let diffusers: SampleStorage
  private let diffuserMask: Int
  private let before: SampleStorage
  private let beforeMask: Int
  private let memory: SampleStorage
  private let ends: SampleStorage
  private let begin: SampleStorage
  private var position = 0
  private var room: Int
  /// Frames until the room is silent.
  private var rest = 0

  // MARK: Control thread

  init(rooms all: [ReverbRoom], sampleRate: Double) {
    let count = Self.lineCount
    var table: [Double] = []
    var longest = 0
    var longestBefore = 0
    var longestDiffuser = 0
    for room in all {
      var used: Set<Int> = []
      var energy = 0.0
      for line in 0..<count {
        // From 0.6 to 1.67 times the mean, in equal ratios; primes, which share no echo.
        let share = Double(line) / Double(count - 1)
        let ideal = room.meanDelay * sampleRate * 0.6 * pow(2.78, share)
        var delay = max(Self.piece, Int(ideal.rounded()))
        while !ReverbKernel.isPrime(delay) || used.contains(delay) { delay += 1 }
        used.insert(delay)
        longest = max(longest, delay)
        let low = pow(10, -3 * Double(delay) / (room.decay * sampleRate))
        let high = pow(10, -3 * Double(delay) / (room.decay * room.treble * sampleRate))
        // g (1 - p) / (1 - p z^-1) is g at 0 Hz and g (1 - p) / (1 + p) at half the rate.
        let p = (low - high) / (low + high)
        table += [Double(delay), low * (1 - p), p]
        // The share of white noise's energy that is left after a pass through the line.
        energy += low * low * (1 - p) / (1 + p)
      }
      let wait = Int((room.preDelay * sampleRate).rounded()) + 1
      longestBefore = max(longestBefore, wait)
      // Each output sums all lines, and gets half of the energy.
      let turn = energy / Double(count)
      let gain = ((1 - turn) / turn / 2).squareRoot()
      // 120 dB down, and a second for the all-passes.
      table += [
        Double(wait), gain, (2 * room.decay + room.preDelay + 1) * sampleRate,
      ]
      // Shorter than the lines, so that they end long before the room does.
      for share in [0.11, 0.17, 0.26, 0.41] {
        var delay = max(Self.piece, Int((share * room.meanDelay * sampleRate).rounded()))
        while !ReverbKernel.isPrime(delay) { delay += 1 }
        longestDiffuser = max(longestDiffuser, delay)
        table.append(Double(delay))
      }
    }
    rooms = DoubleStorage(table)
    roomCount = all.count
    let length = Self.powerOfTwo(longest + Self.piece)
    mask = length - 1
    lines = SampleStorage(repeating: 0, count: length * count)
    let diffuserLength = Self.powerOfTwo(longestDiffuser + Self.piece)
    diffuserMask = diffuserLength - 1
    diffusers = SampleStorage(repeating: 0, count: diffuserLength * Self.diffuserCount)
    let beforeLength = Self.powerOfTwo(longestBefore + Self.piece)
    beforeMask = beforeLength - 1
    before = SampleStorage(repeating: 0, count: beforeLength)
    memory = SampleStorage(repeating: 0, count: count)
    ends = SampleStorage(repeating: 0, count: count * Self.piece)
    begin = SampleStorage(repeating: 0, count: Self.piece)
    room = 0
  }

  private static func powerOfTwo(_ least: Int) -> Int {
    var length = 1
    while length < least { length *= 2 }
    return length
  }

  // MARK: Render thread

  /// Clears all memory, and changes to another room.
  @_noLocks
  mutating func reset(room number: Int) {
    room = number < 0 ? 0 : number < roomCount ? number : roomCount - 1
    rest = 0
    position = 0
    lines.buffer(at: 0, count: lines.count).clear()
    diffusers.buffer(at: 0, count: diffusers.count).clear()
    before.buffer(at: 0, count: before.count).clear()
    memory.buffer(at: 0, count: memory.count).clear()
  }

  /// Whether the output stays silent until there is input.
  var isSilent: Bool { @_noLocks get { rest <= 0 } }

  /// Renders a block.
  ///
  /// - Parameters:
  ///   - input: A multiple of 32 frames.
  ///   - isSilent: Whether the input is all zeros.
  ///   - left: As many frames; `right` too.
  @_noLocks
  mutating func render(
    _ input: ChannelBuffer, isSilent: Bool, left: ChannelBuffer, right: ChannelBuffer
  ) {
    precondition(
      input.count % Self.piece == 0 && left.count == input.count && right.count == input.count,
      "a block is a multiple of 32 frames")
    if !isSilent { rest = Int(rooms[room * Self.roomStride + 3 * Self.lineCount + 2]) }
    rest -= input.count
    var done = 0
    while done < input.count {
      let piece = Self.piece
      diffuse(input.dropping(done).prefix(piece))
      mixLines()
      sumLines(left.dropping(done).prefix(piece), right.dropping(done).prefix(piece))
      position += piece
      done += piece
    }
  }

  /// Passes the input through the pre-delay and the all-passes to `begin`.
  @_noLocks
  private mutating func diffuse(_ input: ChannelBuffer) {
    let wait = Int(rooms[room * Self.roomStride + 3 * Self.lineCount])
    let begin = begin.buffer(at: 0, count: Self.piece)
    for frame in 0..<Self.piece {
      before[(position + frame) & beforeMask] = input[frame]
      begin[frame] = before[(position + frame - wait) & beforeMask]
    }
    for diffuser in 0..<Self.diffuserCount {
      let delay = Int(rooms[room * Self.roomStride + 3 * Self.lineCount + 3 + diffuser])
      let ring = diffusers.buffer(at: diffuser * (diffuserMask + 1), count: diffuserMask + 1)
      for frame in 0..<Self.piece {
        let late = ring[(position + frame - delay) & diffuserMask]
        let inner = begin[frame] + Self.diffusion * late
        ring[(position + frame) & diffuserMask] = inner
        begin[frame] = late - Self.diffusion * inner
      }
    }
  }

  /// Mixes the outputs of the lines by the matrix into their inputs.
  @_noLocks
  private mutating func mixLines() {
    let piece = Self.piece
    let count = Self.lineCount
    for line in 0..<count {
      let first = room * Self.roomStride + 3 * line
      let delay = Int(rooms[first])
      let b0 = Float(rooms[first + 1])
      let a1 = Float(rooms[first + 2])
      let ring = lines.buffer(at: line * (mask + 1), count: mask + 1)
      let end = ends.buffer(at: line * piece, count: piece)
      var last = memory[line]
      for frame in 0..<piece {
        last = b0 * ring[(position + frame - delay) & mask] + a1 * last
        end[frame] = last
      }
      memory[line] = last
    }
    // A Hadamard matrix, by sums and differences.
    var half = 1
    while half < count {
      var line = 0
      while line < count {
        if line & half == 0 {
          let a = ends.buffer(at: line * piece, count: piece)
          let b = ends.buffer(at: (line + half) * piece, count: piece)
          for frame in 0..<piece {
            let sum = a[frame] + b[frame]
            b[frame] = a[frame] - b[frame]
            a[frame] = sum
          }
        }
        line += 1
      }
      half *= 2
    }
    // A quarter keeps the energy: there are sixteen lines. The input is spread likewise.
    let begin = begin.buffer(at: 0, count: piece)
    for line in 0..<count {
      let ring = lines.buffer(at: line * (mask + 1), count: mask + 1)
      let end = ends.buffer(at: line * piece, count: piece)
      let sign: Float = Self.sign(line, 0x6CA0)
      for frame in 0..<piece {
        end[frame] *= 0.25
        ring[(position + frame) & mask] = end[frame] + 0.25 * sign * begin[frame]
      }
    }
  }

  /// Sums the lines into the two outputs. The signs are orthogonal between the channels, and give
  /// each line the same share when seen through the matrix (bent functions).
  @_noLocks
  private mutating func sumLines(_ left: ChannelBuffer, _ right: ChannelBuffer) {
    let gain = Float(rooms[room * Self.roomStride + 3 * Self.lineCount + 1])
    left.clear()
    right.clear()
    for line in 0..<Self.lineCount {
      let end = ends.buffer(at: line * Self.piece, count: Self.piece)
      let l = Self.sign(line, 0x7888) * gain
      let r = Self.sign(line, 0xD222) * gain
      for frame in 0..<Self.piece {
        left[frame] += l * end[frame]
        right[frame] += r * end[frame]
      }
    }
  }

  @_noLocks
  private static func sign(_ line: Int, _ pattern: Int) -> Float {
    pattern >> line & 1 == 0 ? 1 : -1
  }
}
