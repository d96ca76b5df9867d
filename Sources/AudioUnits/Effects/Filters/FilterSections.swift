import RenderCore

/// Second-order filters in series over any number of channels, whose coefficients may move with every
/// frame.
///
/// A moving section is a state-variable filter, integrated by the trapezoidal rule, with the memory
/// `s1`, `s2`:
///
///     v3 = x - s2;  v1 = c1 s1 + c2 v3;  v2 = s2 + c2 s1 + c3 v3
///     s1 = 2 v1 - s1;  s2 = 2 v2 - s2;  y = m0 x + m1 v1 + m2 v2
///
/// The matrix that takes the memory from frame to frame is the Cayley transform of a dissipative
/// one: it makes no vector longer, and neither does any mixture of such matrices. So coefficients
/// may move linearly from one filter to any other without growth of the memory, which direct forms
/// do not guarantee.
///
/// A resting section is a direct form II, several of which share a vector (`FilterCascade`). With
/// its memory `w1`, `w2`, at any gain, `s1 = 2 c2 (w1 - w2)` and `s2 = 2 c3 (w1 + w2)`. A section
/// changes its form when it begins to move and when it has arrived, which does not depend on
/// slices.
struct FilterSections: ~Copyable {
  /// The numbers of a section: c1, c2, c3, m0, m1, m2.
  static var width: Int { @_noLocks get { 6 } }

  let count: Int
  let channelCount: Int
  // For each section the coefficients of the last frame, and their steps per frame.
  private let now: DoubleStorage
  private let step: DoubleStorage
  private let goal: DoubleStorage
  private let start: DoubleStorage
  // 1 for a running section.
  private let running: DoubleStorage
  // 1 for a section whose coefficients move.
  private let moving: DoubleStorage
  // 1 for a section in the form of a state-variable filter, 0 for direct form II.
  private let isStateVariable: DoubleStorage
  private var hasStateVariable = false
  // The running sections, and the memory of all.
  private var cascade: FilterCascade
  private(set) var isAtRest = true
  /// Whether the coefficients of any section move.
  private(set) var isMoving = false

  init(count: Int, channelCount: Int) {
    self.count = count
    self.channelCount = channelCount
    cascade = FilterCascade(
      capacity: count, channelCount: channelCount, longest: EffectPieces.longest)
    now = DoubleStorage(repeating: 0, count: count * Self.width)
    step = DoubleStorage(repeating: 0, count: count * Self.width)
    goal = DoubleStorage(repeating: 0, count: count * Self.width)
    start = DoubleStorage(repeating: 0, count: count * Self.width)
    running = DoubleStorage(repeating: 0, count: count)
    moving = DoubleStorage(repeating: 0, count: count)
    isStateVariable = DoubleStorage(repeating: 0, count: count)
  }

  // MARK: Render thread

  @_noLocks
  func isRunning(_ section: Int) -> Bool { running[section] != 0 }

  @_noLocks
  func isMoving(_ section: Int) -> Bool { moving[section] != 0 }

  /// The numbers of a filter's section.
  @_noLocks
  static func numbers(of filter: Biquad) -> FilterNumbers {
    // `low` is 4 g² D and `high` is 4 D, with D = 1 / (1 + g k + g²), which is c1.
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

  /// Starts a stopped section as a filter.
  @_noLocks
  mutating func begin(_ section: Int, as numbers: FilterNumbers) {
    for index in 0..<Self.width { now[section * Self.width + index] = numbers[index] }
    cascade.insert(at: place(of: section), coefficients(section))
    running[section] = 1
    moving[section] = 0
    isStateVariable[section] = 0
  }

  /// Begins a linear move of a section to a filter, `frames` frames long.
  @_noLocks
  mutating func aim(_ section: Int, at numbers: FilterNumbers, in frames: Int) {
    if isStateVariable[section] == 0 { convertToStateVariable(section) }
    moving[section] = 1
    isMoving = true
    for index in 0..<Self.width {
      let place = section * Self.width + index
      goal[place] = numbers[index]
      step[place] = (numbers[index] - now[place]) / Double(frames)
    }
  }

  /// Ends all moves: every section has the coefficients that it moved to.
  @_noLocks
  mutating func arrive() {
    isMoving = false
    for section in 0..<count where moving[section] != 0 {
      moving[section] = 0
      for index in section * Self.width..<(section + 1) * Self.width { now[index] = goal[index] }
    }
  }

  /// Stores the coefficients of a section, to mix them with later ones.
  @_noLocks
  mutating func remember(_ section: Int) {
    for index in section * Self.width..<(section + 1) * Self.width { start[index] = now[index] }
  }

  /// The coefficients stored by `remember(_:)`.
  @_noLocks
  func remembered(_ section: Int) -> FilterNumbers {
    let first = section * Self.width
    return FilterNumbers(
      start[first], start[first + 1], start[first + 2], start[first + 3], start[first + 4],
      start[first + 5])
  }

  /// Stops a section, and clears its memory.
  @_noLocks
  mutating func stop(_ section: Int) {
    running[section] = 0
    moving[section] = 0
    cascade.remove(at: place(of: section))
  }

  @_noLocks
  mutating func clear() {
    cascade.clear()
    isAtRest = true
  }

  /// The place of a section among those that run.
  @_noLocks
  private func place(of section: Int) -> Int {
    var place = 0
    for before in 0..<section where running[before] != 0 { place += 1 }
    return place
  }

  /// The direct form II of a section that rests.
  @_noLocks
  private func coefficients(_ section: Int) -> FilterCoefficients {
    let first = section * Self.width
    let (c1, c2, c3) = (now[first], now[first + 1], now[first + 2])
    let m0 = now[first + 3]
    // v1 = c2 (w - w2) and v2 = c3 (w + 2 w1 + w2), with w = x - a1 w1 - a2 w2.
    let n1 = now[first + 4] * c2
    let n2 = now[first + 5] * c3
    let a1 = 2 * (c3 - c1)
    let a2 = 2 * (c1 + c3) - 1
    return FilterCoefficients(
      m0 + n1 + n2, 2 * n2 - a1 * (n1 + n2), (n2 - n1) - a2 * (n1 + n2), -a1, -a2)
  }

  /// Converts the memory of a section to that of a state-variable filter.
  @_noLocks
  private mutating func convertToStateVariable(_ section: Int) {
    isStateVariable[section] = 1
    hasStateVariable = true
    let place = place(of: section)
    let (c2, c3) = (now[section * Self.width + 1], now[section * Self.width + 2])
    var channel = 0
    while channel < channelCount {
      for lane in channel..<channel + cascade.width {
        let (w1, w2) = cascade.memory(of: place, channel: lane)
        cascade.setMemory(of: place, channel: lane, to: (2 * c2 * (w1 - w2), 2 * c3 * (w1 + w2)))
      }
      channel += cascade.width
    }
  }

  /// Converts every section that no longer moves back to direct form II.
  @_noLocks
  private mutating func convertToDirectForm() {
    hasStateVariable = false
    for section in 0..<count where running[section] != 0 && isStateVariable[section] != 0 {
      if moving[section] != 0 {
        hasStateVariable = true
        continue
      }
      isStateVariable[section] = 0
      let place = place(of: section)
      cascade.set(place, to: coefficients(section))
      let (c2, c3) = (now[section * Self.width + 1], now[section * Self.width + 2])
      var channel = 0
      while channel < channelCount {
        for lane in channel..<channel + cascade.width {
          let (s1, s2) = cascade.memory(of: place, channel: lane)
          let (difference, sum) = (s1 / (2 * c2), s2 / (2 * c3))
          cascade.setMemory(
            of: place, channel: lane, to: ((sum + difference) / 2, (sum - difference) / 2))
        }
        channel += cascade.width
      }
    }
  }

  /// Filters a piece, and multiplies it by a gain that changes by `rise` from frame to frame.
  ///
  /// - Parameters:
  ///   - gain: The gain at the beginning of the cell.
  ///   - place: Frames of the cell before the piece.
  @_noLocks
  mutating func process(
    _ input: RenderBus, into output: RenderBus, from first: Int, count length: Int, gain: Double,
    rise: Double, place gainPlace: Int
  ) {
    isAtRest = false
    if hasStateVariable { convertToDirectForm() }
    var channel = 0
    while channel < channelCount {
      let second = channel + 1 < channelCount ? channel + 1 : channel
      cascade.load(
        input[channel].dropping(first).prefix(length), input[second].dropping(first).prefix(length))
      // Resting sections run together, up to a moving one.
      var place = 0
      var begun = 0
      for section in 0..<count where running[section] != 0 {
        if moving[section] != 0 {
          cascade.run(begun, place - begun, channel: channel, length: length)
          move(section, place, channel, length)
          begun = place + 1
        }
        place += 1
      }
      cascade.run(begun, place - begun, channel: channel, length: length)
      cascade.store(
        output[channel].dropping(first).prefix(length),
        output[second].dropping(first).prefix(length), gain: gain, rise: rise, place: gainPlace)
      channel += cascade.width
    }
    skip(length)
  }

  /// Advances over frames that are not filtered.
  @_noLocks
  mutating func skip(_ length: Int) {
    guard isMoving else { return }
    for section in 0..<count where moving[section] != 0 {
      for index in section * Self.width..<(section + 1) * Self.width {
        // Added frame by frame, so that the rounding does not depend on how the move is cut.
        for _ in 0..<length { now[index] += step[index] }
      }
    }
  }

  /// Filters by a moving section.
  @_noLocks
  private mutating func move(_ section: Int, _ place: Int, _ channel: Int, _ length: Int) {
    let row = section * Self.width
    let width = cascade.width
    for lane in 0..<width {
      var c1 = now[row]
      var c2 = now[row + 1]
      var c3 = now[row + 2]
      var m0 = now[row + 3]
      var m1 = now[row + 4]
      var m2 = now[row + 5]
      var (s1, s2) = cascade.memory(of: place, channel: channel + lane)
      for frame in 0..<length {
        c1 += step[row]
        c2 += step[row + 1]
        c3 += step[row + 2]
        m0 += step[row + 3]
        m1 += step[row + 4]
        m2 += step[row + 5]
        let x = cascade.samples[width * frame + lane]
        let v3 = x - s2
        let v1 = c1 * s1 + c2 * v3
        let v2 = s2 + c2 * s1 + c3 * v3
        s1 = 2 * v1 - s1
        s2 = 2 * v2 - s2
        cascade.samples[width * frame + lane] = m0 * x + m1 * v1 + m2 * v2
      }
      cascade.setMemory(of: place, channel: channel + lane, to: (s1, s2))
    }
  }

  /// Clears memory that is close to zero, or not finite.
  @_noLocks
  mutating func tidy() {
    if cascade.isSpent { clear() }
  }
}

/// The six numbers of a section.
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

  /// The same poles, passing every sample as it is.
  var passing: FilterNumbers { @_noLocks get { FilterNumbers(n0, n1, n2, 1, 0, 0) } }

  /// The mixture of these numbers with `weight`, and of `other` with 1 - `weight`.
  @_noLocks
  func mixed(_ weight: Double, with other: FilterNumbers) -> FilterNumbers {
    FilterNumbers(
      other.n0 + weight * (n0 - other.n0), other.n1 + weight * (n1 - other.n1),
      other.n2 + weight * (n2 - other.n2), other.n3 + weight * (n3 - other.n3),
      other.n4 + weight * (n4 - other.n4), other.n5 + weight * (n5 - other.n5))
  }
}
