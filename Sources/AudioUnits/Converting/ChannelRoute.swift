import AudioTypes
import RenderCore

/// The source channel of each destination channel, as a kernel keeps it.
struct ChannelRoute: ~Copyable {
  /// Silence, as in Core Audio's channel maps.
  static var silence: Int { @_noLocks get { -1 } }
  /// The most channels that a FormatConverter takes.
  static let maximumCount = 8

  private let sources: DoubleStorage

  /// - Parameter sources: For each destination channel, of which there is at least one, a source
  ///   channel or -1.
  init(_ sources: [Int]) {
    precondition(sources.allSatisfy { $0 >= Self.silence }, "a route begins at a channel")
    self.sources = DoubleStorage(sources.map(Double.init))
  }

  /// The number of destination channels.
  var count: Int { @_noLocks get { sources.count } }

  /// The source channel of a destination channel, or `silence`.
  subscript(channel: Int) -> Int { @_noLocks get { Int(sources[channel]) } }
}

/// The channel maps of a converter: the input's, then the output's.
///
/// The input map makes inner channels, one for each of its entries; the output map makes the
/// output's channels from those. Without a map channels pass in order, surplus channels are dropped
/// and missing ones are silent, as in Core Audio's converters.
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

  /// The channels that the output map refers to.
  var innerChannels: Int { inputMap?.count ?? inputChannels }

  /// The input map in effect, whether set or not.
  var input: [Int32] { inputMap ?? Self.identityMap(from: inputChannels, to: inputChannels) }
  /// The output map in effect, whether set or not.
  var output: [Int32] { outputMap ?? Self.identityMap(from: innerChannels, to: outputChannels) }

  private static func identityMap(from source: Int, to destination: Int) -> [Int32] {
    (0..<destination).map { $0 < source ? Int32($0) : -1 }
  }

  /// The input channel of each output channel, or -1.
  var route: [Int] {
    output.map { channel in
      channel < 0 || channel >= innerChannels ? ChannelRoute.silence : Int(input[Int(channel)])
    }
  }
}
