/// A finding about a graph: an error, which initialization refuses, or a warning or a note about
/// something that it accepts.
///
/// It has a place in the graph. A program that has the text of the patch adds the place in the
/// text.
public struct Violation: Error, Hashable, Sendable {
  /// A part of a graph.
  public struct Place: Hashable, Sendable {
    /// `nil` for the graph itself.
    public var node: NodeID?
    /// The part of the node or of the graph.
    public var part: Part

    public init(node: NodeID?, _ part: Part) {
      self.node = node
      self.part = part
    }

    /// The graph itself.
    public static let graph = Place(node: nil, .whole)
  }

  /// A part of a node or of a graph.
  public enum Part: Hashable, Sendable {
    case whole
    /// The feed of an input element: its connection or its callback.
    case feed(Int)
    /// A callback in the chain that feeds an input element. `behind` counts pulls: 1 for the
    /// callback that the input's own callback pulls, and so on.
    case callback(Int, behind: Int)
    /// A tap, by its number.
    case tap(Int)
    case bus(Scope, Int)
    case streamFormat(Scope, Int)
    case elementCount(Scope)
    case property(PropertyID, Scope, Int)
    case parameter(UInt32, Scope, Int)
  }

  /// A remark about another place that is involved.
  public struct Note: Hashable, Sendable {
    /// A clause that starts in lower case.
    public var message: String
    /// The place of the remark.
    public var place: Place

    /// - Parameter message: A clause that starts in lower case.
    public init(_ message: String, at place: Place) {
      self.message = message
      self.place = place
    }
  }

  /// The rule that is broken.
  public var rule: Rule
  /// The severity of the rule.
  public var severity: Severity { rule.severity }
  /// The status that the failing call returns; `.ok` where it succeeds.
  public var status: Status
  /// What was found, and what would be right: a sentence that starts in lower case.
  public var message: String
  /// The place of the error.
  public var place: Place
  /// The setting of a callback or a tap that causes it: its key in a patch, such as `path`.
  public var setting: String?
  /// Remarks about other places.
  public var notes: [Note]
  /// What the user can do about it.
  public var help: [String]
  /// Alternative corrections.
  public var remedies: [Remedy]

  /// - Parameter message: A clause that starts in lower case.
  public init(
    _ rule: Rule, status: Status, _ message: String,
    at place: Place, setting: String? = nil, notes: [Note] = [], help: [String] = [],
    remedies: [Remedy] = []
  ) {
    self.rule = rule
    self.status = status
    self.message = message
    self.place = place
    self.setting = setting
    self.notes = notes
    self.help = help
    self.remedies = remedies
  }

  /// A copy whose place is in `node`, for a violation found by a unit, which does not know its
  /// node.
  public func at(node: NodeID) -> Violation {
    var copy = self
    copy.place.node = node
    for index in copy.notes.indices where copy.notes[index].place.node == nil {
      copy.notes[index].place.node = node
    }
    return copy
  }
}
