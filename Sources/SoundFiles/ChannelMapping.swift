/// Where the channels of a file go on a bus with another number of channels.
///
/// The rules are patchrun's own: as many as there are go straight; a mono file goes to every
/// channel of the bus; a stereo file becomes mono as the mean of its two channels; in any other
/// case the first channels go to the first, the others of the file are left out, and the others of
/// the bus are silent.
public struct ChannelMapping: Hashable, Sendable {
  /// What a channel of a bus gets.
  public enum Source: Hashable, Sendable {
    case channel(Int)
    /// Half of the first and half of the second.
    case mean
    case silence
  }

  /// For each channel of the bus what it gets.
  public let sources: [Source]

  /// - Precondition: Both are at least 1.
  public init(fileChannels: Int, busChannels: Int) {
    precondition(fileChannels > 0 && busChannels > 0, "there is at least one channel")
    sources = (0..<busChannels).map { channel in
      if fileChannels == 1 { return .channel(0) }
      if fileChannels == 2 && busChannels == 1 { return .mean }
      return channel < fileChannels ? .channel(channel) : .silence
    }
  }
}
