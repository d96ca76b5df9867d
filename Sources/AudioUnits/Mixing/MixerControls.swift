internal import RenderCore

/// The controls of the Multichannel Mixer's kernel, and the words of its meters.
struct MixerControls: BitwiseCopyable, Sendable {
  // Controls of an input.
  let volume: ControlSlot
  let pan: ControlSlot
  let enable: ControlSlot
  /// A word that is 0 while the pan decides, and otherwise another number each time levels have
  /// been set; then the gains from the left channel to the left and the right of the mix, and from
  /// the right channel.
  let matrixLevels: ControlSlot
  let metering: ControlSlot
  let meters: MeterSlots
  // Controls of the output.
  let outputVolume: ControlSlot
  let outputMetering: ControlSlot
  let outputMeters: MeterSlots

  let clipping: ClippingWatch
  let access: ControlAccess
}

/// The words of an element's levels: in decibels, of the left and of the right channel.
struct MeterSlots: BitwiseCopyable, Sendable {
  /// The slots of both channels.
  typealias Pair = (left: ControlSlot, right: ControlSlot)

  /// Before the gains of the element.
  let preAverage: Pair
  let prePeak: Pair
  /// After them.
  let postAverage: Pair
  let postPeak: Pair

  /// Resets all levels to silence.
  @_noLocks
  func reset(_ element: Int) {
    reset(preAverage, element)
    reset(prePeak, element)
    reset(postAverage, element)
    reset(postPeak, element)
  }

  @_noLocks
  private func reset(_ pair: Pair, _ element: Int) {
    pair.left.note(LevelMeters.floor, element)
    pair.right.note(LevelMeters.floor, element)
  }
}
