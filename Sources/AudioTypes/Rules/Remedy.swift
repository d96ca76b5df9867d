/// A change of a graph that would correct a violation, as data: a help line describes it, and a
/// program that has the text of the patch turns it into edits.
///
/// All changes are made to the node at the violation's place.
public struct Remedy: Hashable, Sendable {
  /// A single change.
  public enum Change: Hashable, Sendable {
    /// Sets the stream format of an element.
    case setFormat(Scope, Int, StreamFormat)
    /// Removes the stream format of an element.
    case removeFormat(Scope, Int)
    /// Sets the rate of an element, in Hz, and no other part of its format.
    case setSampleRate(Scope, Int, Double)
    /// Sets a property: its key in a patch, and its value as JSON.
    case setProperty(String, Scope, Int, String)
    /// Sets a parameter: its key in a patch, and its value as JSON.
    case setParameter(String, Scope, Int, String)
    /// Sets the number of input elements.
    case setInputCount(Int)
    /// Sets the number of output elements.
    case setOutputCount(Int)
    /// Inserts a FormatConverter before an input element.
    case insertConverter(Int, StreamFormat)
    /// Inserts a splitter behind the output that feeds an input element together with other inputs.
    case insertSplitter(Int)
    /// Compensates the latencies of paths that meet.
    case compensateLatency
    /// Removes the feed of an input element.
    case removeFeed(Int)
  }

  /// An instruction: "give it more inputs".
  public var title: String
  /// The changes, to be made all or none.
  public var changes: [Change]
  /// Whether it is certainly what the author meant, so that it may be applied without asking.
  public var isSafe: Bool

  public init(_ title: String, _ changes: [Change], isSafe: Bool = false) {
    self.title = title
    self.changes = changes
    self.isSafe = isSafe
  }
}
