public import AudioTypes
public import RenderCore

/// The kernel of the iPod EQ: ten bands, chosen by the number of a preset.
///
/// The number is a control word, read at the start of each slice; in the first slice it applies at
/// once. After a change the filters of the new curve run unheard for 20 ms, so that the lowest
/// bands settle; then the output crossfades from the old curve to the new one for 20 ms, with
/// weights that add up to 1 and have no corner. Both times count from the frame at which the change
/// was read. At the end of a change the kernel reads the number again. A number without a preset
/// changes nothing.
///
/// A transparent preset (Disabled, Flat) and the bypass pass every sample unchanged, with the same
/// fade in both directions; the filters are reset when the bypass ends. After the filters have rung
/// out, silence gives silence, marked as such. The output may share memory with the input.
public struct EqualizerKernel: RenderKernel, ~Copyable {
  /// The duration of the warm-up of a new curve, and of the fade after it, in seconds.
  static let halfChangeDuration = 0.02
  private static let chunk = 512

  private let channelCount: Int
  private let controls: ControlAccess
  private let presetSlot: Int
  private let bypassSlot: Int?
  private let presetCount: Int
  // The coefficients of the presets, in the order of their numbers.
  private let bank: DoubleStorage
  // 1 for each transparent preset, 0 for the others.
  private let transparent: DoubleStorage
  private let warmUpLength: Int
  private let changeLength: Int
  private let scratch: SampleStorage

  // A preset's number; -1 for none. A bypass counts as preset 0, which is transparent.
  private var current = -1
  private var next = -1
  private var requested = -1
  // The preset that holds without a bypass.
  private var preset = 0
  // Whether the input of this slice is silent; read before the output is written, which may share
  // its memory.
  private var isInputSilent = false
  // Frames since the change to `next` began.
  private var changed = 0
  private var cascade: EqualizerCascade
  private var nextCascade: EqualizerCascade

  // MARK: Control thread

  /// - Parameters:
  ///   - sampleRate: Of both buses, in hertz.
  ///   - channelCount: Of both buses: 1 or 2.
  ///   - controls: Its block must outlive the kernel.
  ///   - presetSlot: The word of `controls` that holds the preset's number.
  ///   - bypassSlot: The word that holds whether the equalizer is bypassed, 0 for no; `nil` where it
  ///     never is.
  public init(
    sampleRate: Double, channelCount: Int, controls: ControlAccess, presetSlot: Int,
    bypassSlot: Int? = nil
  ) {
    precondition(presetSlot >= 0 && presetSlot < controls.count, "no such control")
    let presets = EqualizerPresets.all
    precondition(presets[0].isTransparent, "bypassed is the first preset")
    self.channelCount = channelCount
    self.controls = controls
    self.presetSlot = presetSlot
    self.bypassSlot = bypassSlot
    presetCount = presets.count
    bank = DoubleStorage(EqualizerBanks.coefficients(sampleRate: sampleRate))
    transparent = DoubleStorage(presets.map { $0.isTransparent ? 1 : 0 })
    warmUpLength = Int((Self.halfChangeDuration * sampleRate).rounded(.up))
    changeLength = 2 * warmUpLength
    scratch = SampleStorage(repeating: 0, count: 2 * Self.chunk)
    cascade = EqualizerCascade(channelCount: channelCount)
    nextCascade = EqualizerCascade(channelCount: channelCount)
  }

  // MARK: Render thread

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    let input = context.input(0)
    let output = context.output(0)
    guard input.channelCount == channelCount, output.channelCount == channelCount else {
      return .formatNotSupported
    }
    let word = controls[word: presetSlot]
    if word < UInt32(presetCount) { preset = Int(word) }
    requested = isBypassed() ? 0 : preset
    if current < 0 {
      current = requested
      cascade.load(current, of: bank)
    }
    isInputSilent = input.isSilent
    var start = 0
    while start < context.frameCount {
      if next < 0, requested != current { beginChange() }
      let rest = context.frameCount - start
      if next < 0 {
        renderSettled(input, output, start: start, count: rest)
        start += rest
      } else {
        let length = Swift.min(rest, Swift.min(Self.chunk, changeLength - changed))
        renderChange(input, output, start: start, count: length)
        start += length
      }
    }
    return .ok
  }

  @_noLocks
  private mutating func isBypassed() -> Bool {
    guard let bypassSlot else { return false }
    return controls[word: bypassSlot] != 0
  }

  @_noLocks
  private mutating func beginChange() {
    if transparent[current] != 0, transparent[requested] != 0 {
      current = requested
      return
    }
    next = requested
    changed = 0
    nextCascade.load(next, of: bank)
  }

  @_noLocks
  private mutating func renderSettled(
    _ input: RenderBus, _ output: RenderBus, start: Int, count: Int
  ) {
    if transparent[current] != 0 {
      for channel in 0..<channelCount {
        output[channel].dropping(start).copy(from: input[channel].dropping(start))
      }
      if start == 0, isInputSilent { output.markSilent() }
    } else if isInputSilent, cascade.isAtRest {
      cascade.skip(count)
      for channel in 0..<channelCount { output[channel].dropping(start).clear() }
      if start == 0 { output.markSilent() }
    } else {
      output.markSounding()
      let last = channelCount - 1
      cascade.process(
        input[0].dropping(start), input[last].dropping(start), into: output[0].dropping(start),
        output[last].dropping(start))
    }
  }

  @_noLocks
  private mutating func renderChange(
    _ input: RenderBus, _ output: RenderBus, start: Int, count: Int
  ) {
    output.markSounding()
    // The new curve is rendered first, into other memory: the output may share memory with the
    // input.
    let left = input[0].dropping(start).prefix(count)
    let right = input[channelCount - 1].dropping(start).prefix(count)
    let leftOutput = output[0].dropping(start).prefix(count)
    let rightOutput = output[channelCount - 1].dropping(start).prefix(count)
    let newLeft = scratch.buffer(at: 0, count: count)
    let newRight = scratch.buffer(at: Self.chunk, count: count)
    if transparent[next] != 0 {
      newLeft.copy(from: left)
      newRight.copy(from: right)
    } else {
      nextCascade.process(left, right, into: newLeft, newRight)
    }
    if transparent[current] != 0 {
      leftOutput.copy(from: left)
      if channelCount == 2 { rightOutput.copy(from: right) }
    } else {
      cascade.process(left, right, into: leftOutput, rightOutput)
    }
    blend(newLeft, into: leftOutput)
    if channelCount == 2 { blend(newRight, into: rightOutput) }
    changed += count
    guard changed == changeLength else { return }
    cascade.adopt(nextCascade)
    current = next
    next = -1
  }

  /// Fades `buffer` to `new`; its first frame is frame `changed` of the change.
  @_noLocks
  private mutating func blend(_ new: ChannelBuffer, into buffer: ChannelBuffer) {
    let length = Float(changeLength - warmUpLength)
    let first = warmUpLength - 1 - changed
    let start = first < 0 ? 0 : first
    guard start < buffer.count else { return }
    for frame in start..<buffer.count {
      let part = Float(frame - first) / length
      let weight = part * part * (3 - 2 * part)
      buffer[frame] += weight * (new[frame] - buffer[frame])
    }
  }
}
