/// Maps the channels of a file to a bus with another number of channels.
///
/// The rules are patchrun's own: equal numbers map one to one; a mono file goes to every channel of
/// the bus; a stereo file becomes mono as the mean of its two channels; otherwise the first
/// channels map one to one, further channels of the file are left out, and further channels of the
/// bus are silent.
public struct ChannelMapping: Hashable, Sendable {
  /// The source of a channel of the bus.
  public enum Source: Hashable, Sendable {
    case channel(Int)
    /// The mean of the first two channels.
    case mean
    case silence
  }

  /// The source of each channel of the bus.
  public let sources: [Source]

  /// - Precondition: Both numbers are at least 1.
  public init(fileChannels: Int, busChannels: Int) {
    precondition(fileChannels > 0 && busChannels > 0, "there is at least one channel")
    sources = (0..<busChannels).map { channel in
      if fileChannels == 1 { return .channel(0) }
      if fileChannels == 2 && busChannels == 1 { return .mean }
      return channel < fileChannels ? .channel(channel) : .silence
    }
  }
}
