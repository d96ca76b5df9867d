internal import AudioTypes
internal import RenderCore

/// The positions of the matrix mixer's numbers in its control block.
///
/// The levels are a square of 65 rows and columns, whatever number of channels is in use; the last
/// row and the last column are the volumes. The meters follow the words of `ClippingWatch`: eight
/// words for each channel, of the inputs and then of the outputs.
struct MatrixControls: BitwiseCopyable {
  static var side: Int { @_noLocks get { 65 } }
  static var wordCount: Int { @_noLocks get { 1 + 65 * 65 } }

  /// The word of a level, from the first word of the property, which counts how often it has been
  /// set.
  @_noLocks
  static func offset(_ row: Int, _ column: Int) -> Int { 1 + row * 65 + column }

  /// Words of one channel: average and peak before, average and peak after, in decibels; then the
  /// same linear.
  static var metersOfChannel: Int { @_noLocks get { 8 } }

  /// Words from the first of `ClippingWatch` to the end of the meters.
  static var meterWordCount: Int {
    @_noLocks get { ClippingWatch.wordCount + 2 * 64 * metersOfChannel }
  }

  /// The first word of a channel's meters, from the first of all measured words.
  @_noLocks
  static func meters(_ isOutput: Bool, _ channel: Int) -> Int {
    ClippingWatch.wordCount + ((isOutput ? 64 : 0) + channel) * metersOfChannel
  }

  /// The initial values of the measured words.
  static var initialMeters: [UInt32] {
    let floor = LevelMeters.floor.bitPattern
    let channel = [floor, floor, floor, floor, 0, 0, 0, 0]
    return [0, 0, 0] + (0..<128).flatMap { _ in channel }
  }

  let access: ControlAccess
  let first: Int
  let inputEnable: Int
  /// The metering of all channels.
  let mode: Int
  let inputMode: Int
  let inputStride: Int
  let outputEnable: Int
  let outputMode: Int
  let outputStride: Int
  let measured: Int
  let clipping: ClippingWatch

  // MARK: Control thread

  /// - Parameter enable: The number of the parameter that switches a bus.
  init(_ controls: ControlLayout, enable: UInt32) {
    func slot(_ id: PropertyID, _ scope: Scope) -> Int {
      controls.slot(PropertyPlace(id, scope, 0)) ?? 0
    }
    access = controls.block.access
    first = slot(.matrixLevels, .global)
    inputEnable = controls.slot(enable, .input, 0) ?? 0
    mode = slot(.meteringMode, .global)
    inputMode = slot(.meteringMode, .input)
    inputStride = controls.stride(.input)
    outputEnable = controls.slot(enable, .output, 0) ?? 0
    outputMode = slot(.meteringMode, .output)
    outputStride = controls.stride(.output)
    measured = slot(.meterClipping, .global)
    clipping = ClippingWatch(controls)
  }

  // MARK: Render thread

  @_noLocks
  func slot(_ row: Int, _ column: Int) -> Int { first + Self.offset(row, column) }

  @_noLocks
  func isOn(input bus: Int) -> Bool { access[inputEnable + bus * inputStride] != 0 }

  @_noLocks
  func isOn(output bus: Int) -> Bool { access[outputEnable + bus * outputStride] != 0 }

  @_noLocks
  func isMetered(input bus: Int) -> Bool {
    access[word: mode] != 0 || access[word: inputMode + bus * inputStride] != 0
  }

  @_noLocks
  func isMetered(output bus: Int) -> Bool {
    access[word: mode] != 0 || access[word: outputMode + bus * outputStride] != 0
  }
}
