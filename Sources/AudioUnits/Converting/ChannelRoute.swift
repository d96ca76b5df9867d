import AudioTypes
import RenderCore

/// From which channel of a source each channel of a destination comes, as a kernel keeps it.
struct ChannelRoute: ~Copyable {
  /// What stands for silence, as in Core Audio's channel maps.
  static var silence: Int { @_noLocks get { -1 } }
  /// The most channels that a FormatConverter takes.
  static let maximumCount = 8

  private let sources: DoubleStorage

  /// - Parameter sources: For each channel of the destination, one or more, -1 or a channel of the
  ///   source.
  init(_ sources: [Int]) {
    precondition(sources.allSatisfy { $0 >= Self.silence }, "a route begins at a channel")
    self.sources = DoubleStorage(sources.map(Double.init))
  }

  /// Channels of the destination.
  var count: Int { @_noLocks get { sources.count } }

  /// The source's channel for a channel of the destination, or `silence`.
  subscript(channel: Int) -> Int { @_noLocks get { Int(sources[channel]) } }
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
