import RenderCore

/// Second-order filters in series over any number of channels, whose coefficients may move with every
/// frame.
///
/// Each is a state-variable filter, integrated by the trapezoidal rule: with the memory `s1`, `s2`,
///
///     v3 = x - s2;  v1 = c1 s1 + c2 v3;  v2 = s2 + c2 s1 + c3 v3
///     s1 = 2 v1 - s1;  s2 = 2 v2 - s2;  y = m0 x + m1 v1 + m2 v2
///
/// The matrix that takes the memory from frame to frame is the Cayley transform of a dissipative one:
/// it makes no vector longer, and neither does any mixture of such matrices. So coefficients may go in
/// straight lines from those of one filter to those of any other without the memory growing, which the
/// direct forms do not promise.
struct FilterSections: ~Copyable {
  /// Numbers of a filter: c1, c2, c3, m0, m1, m2.
  static var width: Int { @_noLocks get { 6 } }
  private static var longest: Int { @_noLocks get { EffectPieces.longest } }

  let count: Int
  let channelCount: Int
  // For each section the coefficients of the frame rendered last, and what is added in each frame.
  private let now: DoubleStorage
  private let step: DoubleStorage
  private let goal: DoubleStorage
  private let start: DoubleStorage
  // For each section and channel s1, s2.
  private let memory: DoubleStorage
  // 1 for a section that runs.
  private let running: DoubleStorage
  // 1 for one whose coefficients move.
  private let moving: DoubleStorage
  // A piece of two channels.
  private let samples: DoubleStorage
  private(set) var isAtRest = true
  /// Whether any section's coefficients are on a way.
  private(set) var isMoving = false

  init(count: Int, channelCount: Int) {
    precondition(count > 0 && channelCount > 0, "there is a section, and a channel")
    self.count = count
    self.channelCount = channelCount
    now = DoubleStorage(repeating: 0, count: count * Self.width)
    step = DoubleStorage(repeating: 0, count: count * Self.width)
    goal = DoubleStorage(repeating: 0, count: count * Self.width)
    start = DoubleStorage(repeating: 0, count: count * Self.width)
    memory = DoubleStorage(repeating: 0, count: 2 * count * channelCount)
    running = DoubleStorage(repeating: 0, count: count)
    moving = DoubleStorage(repeating: 0, count: count)
    samples = DoubleStorage(repeating: 0, count: 2 * Self.longest)
  }

  // MARK: Render thread

  @_noLocks
  func isRunning(_ section: Int) -> Bool { running[section] != 0 }

  @_noLocks
  func isMoving(_ section: Int) -> Bool { moving[section] != 0 }

  /// What the section of a filter computes with.
  @_noLocks
  static func numbers(of filter: Biquad) -> FilterNumbers {
    // 4 g² D and 4 D, of the filter's g and D = 1 / (1 + g k + g²); c1 is D.
    let low = 1 + filter.a1 + filter.a2
    let high = 1 - filter.a1 + filter.a2
    let g = renderSquareRoot(low / high)
    let c1 = high / 4
    let c2 = g * c1
    let m0 = (filter.b0 - filter.b1 + filter.b2) / high
    let m2 = (filter.b0 + filter.b1 + filter.b2) / low - m0
    let c3 = g * c2
    let m1 = (filter.b0 - m0 - m2 * c3) / c2
    return FilterNumbers(c1, c2, c3, m0, m1, m2)
  }

  /// Makes a section a filter, at once.
  @_noLocks
  mutating func set(_ section: Int, to numbers: FilterNumbers) {
    running[section] = 1
    moving[section] = 0
    for index in 0..<Self.width {
      now[section * Self.width + index] = numbers[index]
    }
  }

  /// Begins a way in a straight line to a filter, `frames` frames long.
  @_noLocks
  mutating func aim(_ section: Int, at numbers: FilterNumbers, in frames: Int) {
    moving[section] = 1
    isMoving = true
    for index in 0..<Self.width {
      let place = section * Self.width + index
      goal[place] = numbers[index]
      step[place] = (numbers[index] - now[place]) / Double(frames)
    }
  }

  /// Ends all ways: every section is what it was to become.
  @_noLocks
  mutating func arrive() {
    isMoving = false
    for section in 0..<count where moving[section] != 0 {
      moving[section] = 0
      for index in section * Self.width..<(section + 1) * Self.width { now[index] = goal[index] }
    }
  }

  /// Remembers what a section is, to mix it with what it becomes.
  @_noLocks
  mutating func remember(_ section: Int) {
    for index in section * Self.width..<(section + 1) * Self.width { start[index] = now[index] }
  }

  /// What a section was when it was remembered.
  @_noLocks
  func remembered(_ section: Int) -> FilterNumbers {
    let first = section * Self.width
    return FilterNumbers(
      start[first], start[first + 1], start[first + 2], start[first + 3], start[first + 4],
      start[first + 5])
  }

  /// Takes a section out, and clears its memory.
  @_noLocks
  mutating func stop(_ section: Int) {
    running[section] = 0
    moving[section] = 0
    let first = 2 * section * channelCount
    for index in first..<first + 2 * channelCount { memory[index] = 0 }
  }

  @_noLocks
  mutating func clear() {
    for index in 0..<memory.count { memory[index] = 0 }
    isAtRest = true
  }

  /// Filters a piece, and multiplies it by a gain that goes from frame to frame by `rise`.
  ///
  /// - Parameters:
  ///   - gain: That of a frame.
  ///   - place: How many frames after that one the frame before the first is.
  @_noLocks
  mutating func process(
    _ input: RenderBus, into output: RenderBus, from first: Int, count length: Int, gain: Double,
    rise: Double, place: Int
  ) {
    isAtRest = false
    var channel = 0
    while channel < channelCount {
      let pair = channel + 1 < channelCount ? 2 : 1
      for lane in 0..<pair {
        let source = input[channel + lane].dropping(first)
        for frame in 0..<length { samples[2 * frame + lane] = Double(source[frame]) }
      }
      for section in 0..<count where running[section] != 0 {
        if moving[section] != 0 {
          move(section, channel, pair, length)
        } else {
          filter(section, channel, pair, length)
        }
      }
      for lane in 0..<pair {
        let target = output[channel + lane].dropping(first)
        if rise == 0, gain == 1 {
          for frame in 0..<length { target[frame] = Float(samples[2 * frame + lane]) }
        } else {
          for frame in 0..<length {
            target[frame] = Float(
              samples[2 * frame + lane]
                * (gain + rise * Double(Int32(truncatingIfNeeded: place + frame + 1))))
          }
        }
      }
      channel += pair
    }
    skip(length)
  }

  /// Lets frames go by that are not filtered.
  @_noLocks
  mutating func skip(_ length: Int) {
    guard isMoving else { return }
    for section in 0..<count where moving[section] != 0 {
      for index in section * Self.width..<(section + 1) * Self.width {
        // Not times the length: so it is the same however the way is cut.
        for _ in 0..<length { now[index] += step[index] }
      }
    }
  }

  @_noLocks
  private mutating func filter(_ section: Int, _ channel: Int, _ lanes: Int, _ length: Int) {
    let place = section * Self.width
    let c1 = now[place]
    let c2 = now[place + 1]
    let c3 = now[place + 2]
    let m0 = now[place + 3]
    let m1 = now[place + 4]
    let m2 = now[place + 5]
    for lane in 0..<lanes {
      let state = 2 * (section * channelCount + channel + lane)
      var s1 = memory[state]
      var s2 = memory[state + 1]
      for frame in 0..<length {
        let x = samples[2 * frame + lane]
        let v3 = x - s2
        let v1 = c1 * s1 + c2 * v3
        let v2 = s2 + c2 * s1 + c3 * v3
        s1 = 2 * v1 - s1
        s2 = 2 * v2 - s2
        samples[2 * frame + lane] = m0 * x + m1 * v1 + m2 * v2
      }
      memory[state] = s1
      memory[state + 1] = s2
    }
  }

  /// The same with coefficients that move.
  @_noLocks
  private mutating func move(_ section: Int, _ channel: Int, _ lanes: Int, _ length: Int) {
    let place = section * Self.width
    for lane in 0..<lanes {
      var c1 = now[place]
      var c2 = now[place + 1]
      var c3 = now[place + 2]
      var m0 = now[place + 3]
      var m1 = now[place + 4]
      var m2 = now[place + 5]
      let state = 2 * (section * channelCount + channel + lane)
      var s1 = memory[state]
      var s2 = memory[state + 1]
      for frame in 0..<length {
        c1 += step[place]
        c2 += step[place + 1]
        c3 += step[place + 2]
        m0 += step[place + 3]
        m1 += step[place + 4]
        m2 += step[place + 5]
        let x = samples[2 * frame + lane]
        let v3 = x - s2
        let v1 = c1 * s1 + c2 * v3
        let v2 = s2 + c2 * s1 + c3 * v3
        s1 = 2 * v1 - s1
        s2 = 2 * v2 - s2
        samples[2 * frame + lane] = m0 * x + m1 * v1 + m2 * v2
      }
      memory[state] = s1
      memory[state + 1] = s2
    }
  }

  /// Clears memory that is next to nothing, or has been spoilt by what is not a number.
  @_noLocks
  mutating func tidy() {
    if memory.isSpent { clear() }
  }
}

/// The six numbers that a section computes with.
struct FilterNumbers: BitwiseCopyable {
  private var n0, n1, n2, n3, n4, n5: Double

  @_noLocks
  init(_ n0: Double, _ n1: Double, _ n2: Double, _ n3: Double, _ n4: Double, _ n5: Double) {
    self.n0 = n0
    self.n1 = n1
    self.n2 = n2
    self.n3 = n3
    self.n4 = n4
    self.n5 = n5
  }

  subscript(index: Int) -> Double {
    @_noLocks get {
      switch index {
      case 0: n0
      case 1: n1
      case 2: n2
      case 3: n3
      case 4: n4
      default: n5
      }
    }
  }

  /// The same poles, and every sample as it is.
  var passing: FilterNumbers { @_noLocks get { FilterNumbers(n0, n1, n2, 1, 0, 0) } }

  /// `weight` of these and the rest of others.
  @_noLocks
  func mixed(_ weight: Double, with other: FilterNumbers) -> FilterNumbers {
    FilterNumbers(
      other.n0 + weight * (n0 - other.n0), other.n1 + weight * (n1 - other.n1),
      other.n2 + weight * (n2 - other.n2), other.n3 + weight * (n3 - other.n3),
      other.n4 + weight * (n4 - other.n4), other.n5 + weight * (n5 - other.n5))
  }
}
