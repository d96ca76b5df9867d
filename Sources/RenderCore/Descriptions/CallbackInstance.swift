public import AudioTypes
import Synchronization

/// A callback on one input, or one that such a callback pulls: the live settings of both its halves.
///
/// A graph makes one of each callback that it is given; who wants to turn a setting makes it beforehand,
/// and gives the graph that:
///
///     let tone = CallbackInstance(ToneCallback(frequency: 440))
///     try graph.setInputCallback(tone, of: io)
///     try graph.start()
///     try tone.set("frequency", to: 660)
///
/// What is set holds from the next slice on; what is continuous goes there in 10 ms. An instance is in
/// one place of one graph at a time. One that is taken from its place and put to another in the same
/// update plays on: so does what pulls it, or what it pulls, while one sound goes over to the other.
///
/// Callable from any thread but the render thread.
public final class CallbackInstance: RenderCallback {
  /// Called after a setting has been set, on the thread that set it, with its number and its value.
  public typealias Listener = @Sendable (UInt32, Double) -> Void

  /// What takes a listener away again.
  public struct ListenerToken: Hashable, Sendable {
    fileprivate let number: Int
  }

  private struct State {
    /// What has been set, of which the control keeps the nearest float.
    var exact: [Double]
    /// What has been set and is not in force yet; `nil` where what is set is in force.
    var held: [ControlWrite]?
    var listeners: [Int: (UInt32?, Listener)] = [:]
    var nextListener = 0
    /// How often a setting has been set.
    var version = 0
  }

  private static let lastSerial = Atomic<Int>(0)

  /// The callback as it was given.
  public let original: any RenderCallback
  /// What can be turned, in the order of the callback's settings; empty for nothing.
  public let settings: [LiveSetting]
  /// The controls of the settings, in the same order.
  public let block: ControlBlock
  /// Its own number among all that have been made.
  package let serial = CallbackInstance.lastSerial.wrappingAdd(1, ordering: .relaxed).newValue
  /// The number of the one that it takes the place of.
  package let predecessor: Int?
  /// The number of the one whose sound it begins again: it is heard whole from its first frame on, while that
  /// one fades out under it. `nil` for what fades in.
  package let begunAgain: Int?
  private let state: Mutex<State>

  /// - Parameters:
  ///   - callback: An instance stands for its callback as it is set now.
  ///   - old: An instance that plays, and whose place this one is to take: it goes on where that one is
  ///     in its sound, where its kind can. `nil` for a beginning.
  public convenience init(_ callback: any RenderCallback, continuing old: CallbackInstance? = nil) {
    self.init(callback, continuing: old, beginningAgain: nil)
  }

  /// The callback of an instance that plays, as it is set now, to take its place from its beginning: a
  /// graph lets it be heard whole from its first frame on, and fades out under it what the other one
  /// still plays.
  public convenience init(beginningAgain old: CallbackInstance) {
    self.init(old, continuing: nil, beginningAgain: old)
  }

  private init(
    _ callback: any RenderCallback, continuing old: CallbackInstance?,
    beginningAgain again: CallbackInstance?
  ) {
    begunAgain = again?.serial
    let callback = (callback as? CallbackInstance)?.callback ?? callback
    original = callback
    predecessor = old?.serial
    settings = (callback as? any LiveCallback)?.liveSettings ?? []
    block = ControlBlock(count: settings.count)
    for (index, setting) in settings.enumerated() { block[index] = Float(setting.value) }
    state = Mutex(State(exact: settings.map(\.value)))
  }

  // MARK: Settings

  /// Where a setting stands in `settings`; `nil` where there is none of that name.
  public func index(of key: String) -> Int? { settings.firstIndex { $0.key == key } }

  /// The value of a setting: 0 or 1 for false and true. Where a ramp has moved it, where that is.
  ///
  /// - Returns: `nil` where there is no such setting.
  public func value(of key: String) -> Double? { index(of: key).map(value) }

  func value(at index: Int) -> Double {
    let stored = block.stored(index)
    let exact = state.withLock { $0.exact[index] }
    if Float(exact).bitPattern == stored.bitPattern { return exact }
    // The number as a float prints itself: that is what was meant by it.
    return Double("\(stored)") ?? Double(stored)
  }

  /// Sets a setting, from the next slice on, and calls the listeners.
  ///
  /// - Throws: `kAudioUnitErr_InvalidParameter` where there is no such setting, or it may not have the
  ///   value.
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
      // One listener may have taken another away.
      let listener = state.withLock { $0.listeners[token]?.1 }
      listener?(setting.id, value)
    }
  }

  /// Calls `listener` after each change of a setting, or of any for `nil`.
  public func addListener(
    _ setting: UInt32? = nil, _ listener: @escaping Listener
  ) -> ListenerToken {
    state.withLock { state in
      state.nextListener += 1
      state.listeners[state.nextListener] = (setting, listener)
      return ListenerToken(number: state.nextListener)
    }
  }

  /// Takes a listener away; safe inside the listener itself.
  public func removeListener(_ token: ListenerToken) {
    state.withLock { _ = $0.listeners.removeValue(forKey: token.number) }
  }

  /// The control of a setting, for a ramp to a value.
  ///
  /// - Throws: As `set(_:to:)`; `kAudioUnitErr_InvalidParameter` also for one that does not ramp.
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
        "'\(key)' is \(rateText(value)); it must be \(setting.expectation)",
        help: setting.info.summary, setting: setting.info.key, member: setting.member)
    }
    return (index, setting)
  }

  /// The settings as they can be scheduled.
  public var schedulableSettings: [SchedulableParameter] {
    settings.enumerated().map { index, setting in
      SchedulableParameter(
        parameter: setting.id, scope: 0, firstIndex: index, stride: settings.count,
        elementCount: 1, lowest: Float(setting.range.lowerBound),
        highest: Float(setting.range.upperBound), canRamp: setting.canRamp)
    }
  }

  // MARK: The callback

  /// The callback as it is set now.
  public var callback: any RenderCallback {
    guard let live = original as? any LiveCallback else { return original }
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

  /// What is wrong with the callback on a bus of `format` once a setting has another value.
  public func problems(
    for format: StreamFormat, setting key: String, to value: Double
  ) -> [CallbackProblem] {
    guard let live = callback as? any LiveCallback else { return [] }
    return live.setting([key: value]).problems(for: format)
  }

  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int
  ) throws(CallbackProblem) -> RenderSource {
    try makeSource(for: format, maximumFramesPerSlice: maximumFramesPerSlice, after: nil)
  }

  /// - Parameter before: What the source takes the place of; `nil` for a beginning.
  public func makeSource(
    for format: StreamFormat, maximumFramesPerSlice: Int, after before: SourceContinuation?
  ) throws(CallbackProblem) -> RenderSource {
    let callback = callback
    guard let live = callback as? any LiveCallback else {
      return try callback.makeSource(for: format, maximumFramesPerSlice: maximumFramesPerSlice)
    }
    return try live.makeSource(
      for: format, maximumFramesPerSlice: maximumFramesPerSlice, following: self, after: before)
  }

  /// A control as a kernel follows it.
  ///
  /// - Parameters:
  ///   - key: Of one of the settings.
  ///   - length: In how many frames a change is made that brings no glide of its own.
  public func control(_ key: String, length: Int) -> GlidingControl {
    guard let index = index(of: key) else { preconditionFailure("no live setting '\(key)'") }
    return GlidingControl(block.access, index, value: value(at: index), length: length)
  }

  // MARK: What is set at a frame

  /// From now on what is set is not in force, but kept: for a graph that puts it in force at a frame.
  package func holdWrites() { state.withLock { $0.held = [] } }

  /// What has been kept, in order; from now on what is set is in force at once.
  package func takeHeldWrites() -> [ControlWrite] {
    state.withLock { state in
      defer { state.held = nil }
      return state.held ?? []
    }
  }

  /// How often anything has been set.
  package var version: Int { state.withLock { $0.version } }
}
