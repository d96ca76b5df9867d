/// What is not known of a node, or of the whole patch, because of a mistake that has been reported.
///
/// A rule says which of them silence it (`Rule.silencedBy`): what it would find then may only follow from
/// the mistake. One mistake has one diagnostic.
public struct Doubts: OptionSet, Hashable, Sendable {
  /// A bit for each doubt.
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  // MARK: Of a node

  /// A part of the node could not be read.
  public static let unreadNode = Doubts(rawValue: 1 << 0)
  /// Something that feeds it, or takes from it, is missing.
  public static let feeds = Doubts(rawValue: 1 << 1)
  /// A stream format of it, or of a node that it takes its own from, could not be set.
  public static let format = Doubts(rawValue: 1 << 2)
  /// The format of each of its buses that is given none could not be read.
  public static let defaultFormat = Doubts(rawValue: 1 << 3)
  /// Its channel map could not be set.
  public static let channelMap = Doubts(rawValue: 1 << 4)

  // MARK: Of the patch

  /// A node, a callback, a connection or the patch's own format is missing.
  public static let gaps = Doubts(rawValue: 1 << 5)
  /// A connection leads nobody knows where: each input that nothing feeds may be meant.
  public static let destination = Doubts(rawValue: 1 << 6)
  /// Some node, not necessarily the one in question, has lost what feeds it or takes from it.
  public static let feedsElsewhere = Doubts(rawValue: 1 << 7)
  /// Which sides of an I/O unit are on is not known.
  public static let sides = Doubts(rawValue: 1 << 8)
  /// The patch's own stream format could not be read.
  public static let patchFormat = Doubts(rawValue: 1 << 10)
  /// What the session asks for, and so what it is granted, is not known.
  public static let session = Doubts(rawValue: 1 << 9)
}
