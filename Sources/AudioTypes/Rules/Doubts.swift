/// What is uncertain about a node, or about the whole patch, because of an error that has been
/// reported.
///
/// A rule lists the doubts that silence it (`Rule.silencedBy`): its findings could be consequences
/// of that error. So one error gives one diagnostic.
public struct Doubts: OptionSet, Hashable, Sendable {
  /// A bit for each doubt.
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  // MARK: About a node

  /// A part of the node could not be read.
  public static let unreadNode = Doubts(rawValue: 1 << 0)
  /// A feed of the node, or an input that it feeds, is missing.
  public static let feeds = Doubts(rawValue: 1 << 1)
  /// A stream format of the node, or of a node that it inherits its format from, could not be set.
  public static let format = Doubts(rawValue: 1 << 2)
  /// The default format of the node's buses could not be read.
  public static let defaultFormat = Doubts(rawValue: 1 << 3)
  /// The node's channel map could not be set.
  public static let channelMap = Doubts(rawValue: 1 << 4)

  // MARK: About the patch

  /// A node, a callback, a connection or the patch's own format is missing.
  public static let gaps = Doubts(rawValue: 1 << 5)
  /// A connection has no valid destination: it may be meant for any input without a feed.
  public static let destination = Doubts(rawValue: 1 << 6)
  /// A feed of some node of the patch, or an input that it feeds, is missing.
  public static let feedsElsewhere = Doubts(rawValue: 1 << 7)
  /// A stream format of some node of the patch is wrong, so that it is not known how many frames
  /// the nodes in front of it are pulled for.
  public static let formatElsewhere = Doubts(rawValue: 1 << 11)
  /// It is not known which sides of an I/O unit are on.
  public static let sides = Doubts(rawValue: 1 << 8)
  /// The patch's stream format could not be read.
  public static let patchFormat = Doubts(rawValue: 1 << 10)
  /// The requests of the session are not known, so that its grant is not known either.
  public static let session = Doubts(rawValue: 1 << 9)
}
