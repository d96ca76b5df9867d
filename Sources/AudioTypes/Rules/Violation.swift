/// Something that initialize would refuse, or accept and the user regret.
///
/// It says what is wrong and where in the graph; whoever knows a text puts the place into it.
public struct Violation: Error, Hashable, Sendable {
  /// A part of a graph.
  public struct Place: Hashable, Sendable {
    /// `nil` for the graph itself.
    public var node: NodeID?
    /// Which part of the node, or of the graph.
    public var part: Part

    public init(node: NodeID?, _ part: Part) {
      self.node = node
      self.part = part
    }

    /// The graph itself.
    public static let graph = Place(node: nil, .whole)
  }

  /// A part of a node or of a graph, by its numbers.
  public enum Part: Hashable, Sendable {
    case whole
    /// What feeds an input element: its connection or its callback.
    case feed(Int)
    /// Of the callbacks that feed an input element the one so many pulls behind it: 1 for the one
    /// that the callback at the input pulls.
    case callback(Int, behind: Int)
    /// A tap, by its number.
    case tap(Int)
    case bus(Scope, Int)
    case streamFormat(Scope, Int)
    case elementCount(Scope)
    case property(PropertyID, Scope, Int)
    case parameter(UInt32, Scope, Int)
  }

  /// Another place that has to do with what is wrong, and what is said of it.
  public struct Note: Hashable, Sendable {
    /// A clause that starts in lower case.
    public var message: String
    /// What it is said of.
    public var place: Place

    /// - Parameter message: A clause that starts in lower case.
    public init(_ message: String, at place: Place) {
      self.message = message
      self.place = place
    }
  }

  /// The rule that is broken.
  public var rule: Rule
  /// As bad as the rule says.
  public var severity: Severity { rule.severity }
  /// What the call returns that finds it; `.ok` for what it accepts.
  public var status: Status
  /// A sentence that starts in lower case: what was found, and what would be right.
  public var message: String
  /// What is wrong.
  public var place: Place
  /// Of a callback or a tap the setting that is to blame: its key in a patch, such as `path`.
  public var setting: String?
  /// What else is to be looked at.
  public var notes: [Note]
  /// What to do about it.
  public var help: [String]
  /// Changes that would put it right, each by itself.
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

  /// The same, said of a unit that has become a node.
  public func of(_ node: NodeID) -> Violation {
    var copy = self
    copy.place.node = node
    for index in copy.notes.indices where copy.notes[index].place.node == nil {
      copy.notes[index].place.node = node
    }
    return copy
  }
}
