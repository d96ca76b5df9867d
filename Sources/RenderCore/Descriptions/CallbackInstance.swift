public import AudioTypes
import Synchronization

/// A callback at one place of a graph (it feeds an input, or another callback pulls it), with its
/// live settings, which its kernel and its service follow.
///
/// A graph makes an instance of each callback that it is given. A client that wants to change
/// settings makes the instance itself and gives it to the graph:
///
///     let tone = CallbackInstance(ToneCallback(frequency: 440))
///     try graph.setInputCallback(tone, of: io)
///     try graph.start()
///     try tone.set("frequency", to: 660)
///
/// A change applies from the next slice on; a continuous setting glides there in 10 ms. An instance
/// is in one place of one graph at a time. An instance that an update moves to another place plays
/// on, and so do the callbacks that it pulls or that pull it, while the graph crossfades.
///
/// Callable from any thread but the render thread.
public final class CallbackInstance: RenderCallback {
  /// Called after a change of a setting, on the thread that made it, with the setting's number and
  /// value.
  public typealias Listener = @Sendable (UInt32, Double) -> Void

  /// Identifies a listener, for `removeListener(_:)`.
  public struct ListenerToken: Hashable, Sendable {
    fileprivate let number: Int
  }

  private struct State {
    /// The values as they were set; the controls keep the nearest floats.
    var exact: [Double]
    /// The writes held back; `nil` while writes apply at once.
    var held: [ControlWrite]?
    var listeners: [Int: (UInt32?, Listener)] = [:]
    var nextListener = 0
    /// The number of changes so far.
    var version = 0
  }

  private static let lastSerial = Atomic<Int>(0)

  /// The callback with its initial values.
  public let original: any RenderCallback
  /// The live settings, in the order of the callback's settings; empty for none.
  public let settings: [LiveSetting]
  /// The controls of the settings, in the same order.
  public let block: ControlBlock
  /// Unique among all instances of the process.
  package let serial = CallbackInstance.lastSerial.wrappingAdd(1, ordering: .relaxed).newValue
  /// The serial of the instance that it replaces.
  package let predecessor: Int?
  /// The serial of the instance that this one restarts: the graph plays this one at full level from
  /// its first frame on, and fades that one out. `nil` for an instance that fades in.
  package let restartedSerial: Int?
  private let state: Mutex<State>

  /// - Parameters:
  ///   - callback: The callback; of a `CallbackInstance` its callback with the current values.
  ///   - old: A playing instance that the new one replaces, at whose position the new one continues
  ///     if its kind can. `nil` to start at the beginning.
  public convenience init(_ callback: any RenderCallback, continuing old: CallbackInstance? = nil) {
    self.init(callback, continuing: old, restarting: nil)
  }

  /// Restarts the callback of a playing instance, with its current values: the graph plays the new
  /// instance at full level from its first frame on, and fades the old one out.
  public convenience init(restarting old: CallbackInstance) {
    self.init(old, continuing: nil, restarting: old)
  }

  private init(
    _ callback: any RenderCallback, continuing old: CallbackInstance?,
    restarting again: CallbackInstance?
  ) {
    restartedSerial = again?.serial
    let callback = Self.instance(callback)?.callback ?? callback
    original = callback
    predecessor = old?.serial
    settings = callback.live?.liveSettings ?? []
    block = ControlBlock(count: settings.count)
    for (index, setting) in settings.enumerated() { block[index] = Float(setting.value) }
    state = Mutex(State(exact: settings.map(\.value)))
  }

  // MARK: Settings

  /// The index of a setting in `settings`; `nil` where there is none of that name.
  public func index(of key: String) -> Int? { settings.firstIndex { $0.key == key } }

  /// The current value of a setting, which a ramp may have moved; 0 or 1 for false and true.
  ///
  /// - Returns: `nil` where there is no such setting.
  public func value(of key: String) -> Double? { index(of: key).map(value) }

  func value(at index: Int) -> Double {
    let stored = block.stored(index)
    let exact = state.withLock { $0.exact[index] }
    if Float(exact).bitPattern == stored.bitPattern { return exact }
    // The shortest decimal number for the float, as it was written.
    return Double("\(stored)") ?? Double(stored)
  }

  /// Sets a setting from the next slice on, and calls the listeners.
  ///
  /// - Throws: `kAudioUnitErr_InvalidParameter` where there is no such setting, or the value is out
  ///   of range.
  public func set(_ key: String, to value: Double) throws(CallbackProblem) {
    let (index, setting) = try found(key, value)
    let listeners = state.withLock { state -> [Int] in
      state.exact[index] = value
      state.version += 1
      let word = Float(value).bitPattern
      if state.held == nil {
        block[word: index] = word
      } else {
        state.held?.append(ControlWrite(block, index, word: word))
      }
      return state.listeners.filter { $0.value.0 == nil || $0.value.0 == setting.id }.keys.sorted()
    }
    for token in listeners {
      // A listener may have removed another one.
      let listener = state.withLock { $0.listeners[token]?.1 }
      listener?(setting.id, value)
    }
  }

  /// Calls `listener` after each change of the setting with a number, or of any setting for `nil`.
  public func addListener(
    _ setting: UInt32? = nil, _ listener: @escaping Listener
  ) -> ListenerToken {
    state.withLock { state in
      state.nextListener += 1
      state.listeners[state.nextListener] = (setting, listener)
      return ListenerToken(number: state.nextListener)
    }
  }

  /// Removes a listener. A listener may remove itself.
  public func removeListener(_ token: ListenerToken) {
    state.withLock { _ = $0.listeners.removeValue(forKey: token.number) }
  }

  /// The control of a setting, for a ramp to a value.
  ///
  /// - Throws: As `set(_:to:)`; `kAudioUnitErr_InvalidParameter` also for a setting that cannot
  ///   ramp.
  public func rampControl(
    _ key: String, to value: Double
  ) throws(CallbackProblem) -> (block: ControlBlock, index: Int) {
    let (index, setting) = try found(key, value)
    guard setting.canRamp else {
      throw CallbackProblem(
        .badSetting, status: .invalidParameter,
        "'\(key)' does not ramp: it is one value or another", setting: setting.info.key)
    }
    return (block, index)
  }

  private func found(
    _ key: String, _ value: Double
  ) throws(CallbackProblem) -> (index: Int, setting: LiveSetting) {
    guard let index = index(of: key) else {
      let keys = settings.map(\.key)
      throw CallbackProblem(
        .badSetting, status: .invalidParameter,
        "the callback has no live setting '\(key)'",
        help: keys.isEmpty
          ? "it has none that can be turned while it plays"
          : "what can be turned while it plays: " + keys.joined(separator: ", "),
        unknown: .init(key, among: keys))
    }
    let setting = settings[index]
    guard setting.accepts(value) else {
      throw CallbackProblem(
        .badSetting, status: .invalidParameter,
        setting.info.refusal(of: setting.info.kind.value(of: value), as: key),
        help: setting.info.summary, setting: setting.info.key, member: setting.member)
    }
    return (index, setting)
  }

  /// The settings, in the form that a `ParameterSchedule` takes.
  public var schedulableSettings: [SchedulableParameter] {
    settings.enumerated().map { index, setting in
      SchedulableParameter(
        parameter: setting.id, scope: 0, firstIndex: index, stride: settings.count,
        elementCount: 1, lowest: Float(setting.range.lowerBound),
        highest: Float(setting.range.upperBound), canRamp: setting.canRamp)
    }
  }

  // MARK: The callback

  /// A callback that is an instance; `nil` for any other.
  public static func instance(_ callback: any RenderCallback) -> CallbackInstance? {
    // The first cast of a structure to a class looks through all conformances of the program.
    type(of: callback) == CallbackInstance.self ? callback as? CallbackInstance : nil
  }

  /// The callback with its current values.
  public var callback: any RenderCallback {
    guard let live = original.live else { return original }
    var values: [String: Double] = [:]
    for (index, setting) in settings.enumerated() {
      let value = value(at: index)
      if value != setting.value { values[setting.key] = value }
    }
    return values.isEmpty ? original : live.setting(values)
  }

  public var input: CallbackInput { original.input }

  public var canLeaveRounding: Bool { original.canLeaveRounding }

  public func duration(for format: StreamFormat) -> Int? { callback.duration(for: format) }

  public func problems(for format: StreamFormat) -> [CallbackProblem] {
    callback.problems(for: format)
  }

  public func warnings(for format: StreamFormat) -> [CallbackProblem] {
    callback.warnings(for: format)
  }

  public func memory(for format: StreamFormat, maximumFramesPerSlice: Int) -> Int {
    callback.memory(for: format, maximumFramesPerSlice: maximumFramesPerSlice)
  }

  /// Why the callback could not feed a bus of `format` with another value of a setting.
  public func problems(
    for format: StreamFormat, setting key: String, to value: Double
  ) -> [CallbackProblem] {
    guard let live = callback.live else { return [] }
    return live.setting([key: value]).problems(for: format)
  }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSource {
    try makeSource(for: format, maximumFramesPerSlice: maximumFramesPerSlice, after: nil)
  }

  /// - Parameter before: The source that the new one replaces and continues; `nil` to start at the
  ///   beginning.
  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int, after before: SourceContinuation?
  ) throws(CallbackProblem) -> RenderSource {
    let callback = callback
    guard let live = callback.live else {
      return try callback.makeSource(for: format, maximumFramesPerSlice: maximumFramesPerSlice)
    }
    return try live.makeSource(
      for: format, maximumFramesPerSlice: maximumFramesPerSlice, following: self, after: before)
  }

  /// The control of a setting, as a kernel follows it.
  ///
  /// - Parameters:
  ///   - key: The key of a live setting.
  ///   - length: The frames of the glide for a change that brings no ramp of its own.
  public func control(_ key: String, length: Int) -> GlidingControl {
    guard let index = index(of: key) else { preconditionFailure("no live setting '\(key)'") }
    return GlidingControl(block.access, index, value: value(at: index), length: length)
  }

  // MARK: Changes at a frame

  /// Holds back writes from now on, for a graph that applies them at a frame.
  package func holdWrites() { state.withLock { $0.held = [] } }

  /// Returns the writes held back, in order. Writes apply at once again.
  package func takeHeldWrites() -> [ControlWrite] {
    state.withLock { state in
      defer { state.held = nil }
      return state.held ?? []
    }
  }

  /// The number of changes so far.
  package var version: Int { state.withLock { $0.version } }
}
