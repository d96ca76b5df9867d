import AudioTypes

/// From which channel of a source each channel of a destination comes: up to eight.
///
/// Packed into one word, so that it can be read on the render thread.
struct ChannelRoute: Hashable, Sendable, BitwiseCopyable {
  /// What stands for silence, as in Core Audio's channel maps.
  static var silence: Int { @_noLocks get { -1 } }
  static var maximumCount: Int { @_noLocks get { 8 } }

  private let packed: UInt64
  /// Channels of the destination.
  let count: Int

  /// - Parameter sources: For each channel of the destination, -1 or a channel of the source.
  init(_ sources: [Int]) {
    precondition(sources.count <= Self.maximumCount, "a route has up to eight channels")
    var packed: UInt64 = 0
    for (channel, source) in sources.enumerated() {
      precondition((-1..<255).contains(source), "a route begins at a channel")
      packed |= UInt64(UInt8(truncatingIfNeeded: source)) << UInt64(8 * channel)
    }
    self.packed = packed
    count = sources.count
  }

  /// The source's channel for a channel of the destination, or `silence`.
  subscript(channel: Int) -> Int {
    @_noLocks get {
      precondition(channel >= 0 && channel < count, "no such channel in a route")
      return Int(Int8(truncatingIfNeeded: packed >> UInt64(truncatingIfNeeded: 8 * channel)))
    }
  }
}

/// The channel maps of a converter: the input's, then the output's.
///
/// The input's map, where there is one, makes as many channels as it has entries out of the input's;
/// the output's makes the output's out of those. Without a map channels go straight through, surplus
/// ones are dropped and missing ones silent: Core Audio's rule for its converters.
struct ChannelMaps: Hashable, Sendable {
  let inputChannels: Int
  let outputChannels: Int
  /// `nil` for none.
  let inputMap: [Int32]?
  let outputMap: [Int32]?

  init(_ configuration: UnitConfiguration) {
    inputChannels = configuration.inputs[0].format.channelCount
    outputChannels = configuration.outputs[0].format.channelCount
    inputMap = Self.map(configuration, .input)
    outputMap = Self.map(configuration, .output)
  }

  private static func map(_ configuration: UnitConfiguration, _ scope: Scope) -> [Int32]? {
    guard case .integers(let map)? = configuration.properties[.init(.channelMap, scope, 0)],
      !map.isEmpty
    else { return nil }
    return map
  }

  /// What the output's map names channels of.
  var innerChannels: Int { inputMap?.count ?? inputChannels }

  /// The map that holds on the input side, whether it has been set or not.
  var input: [Int32] { inputMap ?? Self.straight(from: inputChannels, to: inputChannels) }
  /// The map that holds on the output side, whether it has been set or not.
  var output: [Int32] { outputMap ?? Self.straight(from: innerChannels, to: outputChannels) }

  private static func straight(from source: Int, to destination: Int) -> [Int32] {
    (0..<destination).map { $0 < source ? Int32($0) : -1 }
  }

  /// For each channel of the output the one of the input that it comes from, or -1.
  var route: [Int] {
    output.map { channel in
      channel < 0 || channel >= innerChannels ? ChannelRoute.silence : Int(input[Int(channel)])
    }
  }
}
