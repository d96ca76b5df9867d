import AudioTypes
import RenderCore

/// The kernel of every unit that consists of filters: second-order sections in series, then a gain.
///
/// A change of a parameter takes 10 ms, or as long as its ramp. Meanwhile the filter is designed
/// again every 16 frames, counted from the beginning of the change, and the coefficients move
/// linearly in between. A change of a band's type or switch fades for 10 ms in the same way. So no
/// change clicks, and the output does not depend on slices.
struct FilterKernel: RenderKernel, ~Copyable {
  /// The duration of a change without a glide of its own, in seconds.
  static let changeDuration = 0.01
  private static var cell: Int { @_noLocks get { 16 } }
  // The places of a band's controls, in the order of `FilterBand.controls`.
  private static var stride: Int { @_noLocks get { 5 } }
  private static var frequency: Int { @_noLocks get { 0 } }
  private static var gain: Int { @_noLocks get { 1 } }
  private static var width: Int { @_noLocks get { 2 } }
  private static var type: Int { @_noLocks get { 3 } }
  private static var bypass: Int { @_noLocks get { 4 } }

  private let bandCount: Int
  private let sampleRate: Double
  private let widthKind: FilterWidth
  private let isMatched: Bool
  private let changeLength: Int
  private var pieces: EffectPieces
  private var glides: GlideBank
  private var sections: FilterSections
  // For each band its last type and switch, and the frames left of the fade from the filter before.
  private let types: DoubleStorage
  private let switches: DoubleStorage
  private let fades: DoubleStorage
  private var longestFade = 0
  // Frames left of the cell; 0 while nothing moves.
  private var cellLeft = 0
  private var hasBegun = false
  // The gain at the beginning of the cell, its step per frame, and the frames that have passed.
  private var gain = 1.0
  private var gainRise = 0.0
  private var gainPlace = 0
  private var gainGoal = 1.0

  // MARK: Control thread

  init(_ plan: FilterPlan, _ configuration: UnitConfiguration, controls: ControlLayout) {
    sampleRate = configuration.outputs[0].format.sampleRate
    bandCount = plan.bands.count
    widthKind = plan.width
    isMatched = plan.isMatched
    let length = Swift.max(1, Int((Self.changeDuration * sampleRate).rounded()))
    changeLength = length
    pieces = EffectPieces(configuration, controls: controls)
    let gain = plan.gain.flatMap { controls.slot($0, .global, 0) }
    glides = GlideBank(
      controls.block.access,
      plan.bands.flatMap { $0.controls(controls, length: length) }
        + [gain.map { .init($0, length: length) } ?? .init(always: 0)])
    sections = FilterSections(count: bandCount, channelCount: pieces.channelCount)
    types = DoubleStorage(repeating: 0, count: bandCount)
    switches = DoubleStorage(repeating: 0, count: bandCount)
    fades = DoubleStorage(repeating: 0, count: bandCount)
  }

  // MARK: Render thread

  @_noLocks
  mutating func render(_ context: RenderContext) -> Status {
    guard pieces.begin(context) else { return .formatNotSupported }
    if glides.follow() {
      if !hasBegun { setUp() }
      // A change begins a new cell.
      cellLeft = 0
      prepare()
    }
    let input = context.input(0)
    let output = context.output(0)
    while pieces.next(context, atMost: cellLeft > 0 ? cellLeft : EffectPieces.longest) {
      if pieces.beginsAnew { sections.clear() }
      let isQuiet = pieces.isSilent && sections.isAtRest
      if pieces.isProcessed, !isQuiet {
        sections.process(
          input, into: output, from: pieces.start, count: pieces.count, gain: gain,
          rise: gainRise, place: gainPlace)
      } else {
        pieces.clear(output)
        sections.skip(pieces.count)
      }
      pieces.finish(context, isSilent: isQuiet)
      if pieces.isCheckDue { sections.tidy() }
      advance(pieces.count)
    }
    return .ok
  }

  /// Applies the controls of the first slice without a glide.
  @_noLocks
  private mutating func setUp() {
    hasBegun = true
    for band in 0..<bandCount {
      types[band] = glides.goal(band * Self.stride + Self.type)
      switches[band] = glides.goal(band * Self.stride + Self.bypass)
      if switches[band] == 0 { sections.begin(band, as: numbers(band, ahead: 0)) }
    }
    gain = decibels(ahead: 0)
    gainGoal = gain
  }

  /// Prepares the next cell, if anything moves.
  @_noLocks
  private mutating func prepare() {
    for band in 0..<bandCount { beginFadeIfChanged(band) }
    gain = gainPlace == 0 ? gain : gain + gainRise * Double(gainPlace)
    gainPlace = 0
    gainRise = 0
    guard glides.remaining > 0 || longestFade > 0 || sections.isMoving || gain != gainGoal else {
      return
    }
    cellLeft = Self.cell
    for band in 0..<bandCount where sections.isRunning(band) { aim(band) }
    gainGoal = decibels(ahead: Self.cell)
    gainRise = (gainGoal - gain) / Double(Self.cell)
  }

  /// Starts the fade of a band if its type or its switch has changed.
  @_noLocks
  private mutating func beginFadeIfChanged(_ band: Int) {
    let type = glides.goal(band * Self.stride + Self.type)
    let bypass = glides.goal(band * Self.stride + Self.bypass)
    if type == types[band], bypass == switches[band] { return }
    types[band] = type
    switches[band] = bypass
    if !sections.isRunning(band) {
      guard bypass == 0 else { return }
      sections.begin(band, as: numbers(band, ahead: 0).passing)
    }
    sections.remember(band)
    fades[band] = Double(changeLength)
    longestFade = changeLength
  }

  @_noLocks
  private mutating func aim(_ band: Int) {
    let row = band * Self.stride
    let isFading = fades[band] > 0
    if !isFading, glides.isSettled(row + Self.frequency), glides.isSettled(row + Self.gain),
      glides.isSettled(row + Self.width), !sections.isMoving(band)
    {
      return
    }
    var goal = numbers(band, ahead: Self.cell)
    if switches[band] != 0 { goal = goal.passing }
    if isFading {
      let left = fades[band] - Double(Self.cell)
      let weight = left > 0 ? 1 - left / Double(changeLength) : 1
      goal = goal.mixed(weight, with: sections.remembered(band))
    }
    sections.aim(band, at: goal, in: Self.cell)
  }

  @_noLocks
  private mutating func advance(_ frameCount: Int) {
    glides.advance(frameCount)
    if longestFade > 0 {
      longestFade = frameCount < longestFade ? longestFade - frameCount : 0
      for band in 0..<bandCount where fades[band] > 0 {
        let left = fades[band] - Double(frameCount)
        fades[band] = left > 0 ? left : 0
      }
    }
    guard cellLeft > 0 else { return }
    gainPlace += frameCount
    cellLeft -= frameCount
    guard cellLeft == 0 else { return }
    sections.arrive()
    gain = gainGoal
    gainPlace = 0
    for band in 0..<bandCount where switches[band] != 0 && fades[band] == 0 {
      if sections.isRunning(band) { sections.stop(band) }
    }
    prepare()
  }

  /// The filter of a band some frames ahead.
  @_noLocks
  private mutating func numbers(_ band: Int, ahead: Int) -> FilterNumbers {
    let row = band * Self.stride
    return FilterSections.numbers(
      of: FilterDesign.biquad(
        FilterShape.numbered(types[band]),
        frequency: glides.value(row + Self.frequency, ahead: ahead) / sampleRate,
        gain: glides.value(row + Self.gain, ahead: ahead),
        q: widthKind.q(glides.value(row + Self.width, ahead: ahead)), isMatched: isMatched))
  }

  @_noLocks
  private mutating func decibels(ahead: Int) -> Double {
    let gain = glides.value(bandCount * Self.stride, ahead: ahead)
    return gain == 0 ? 1 : renderPower(10, gain / 20)
  }
}
