/// A change to a graph that would put a violation right, as data: a line of help says it in words, and
/// whoever knows the text of a patch makes an edit of it.
///
/// Everything in it is about the node at the violation's place, unless it says otherwise.
public struct Remedy: Hashable, Sendable {
  /// One thing to do.
  public enum Change: Hashable, Sendable {
    /// Gives an element a stream format.
    case setFormat(Scope, Int, StreamFormat)
    /// Takes away what is said about the stream format of an element.
    case removeFormat(Scope, Int)
    /// Gives an element a rate, in Hz, and no other part of a format.
    case setSampleRate(Scope, Int, Double)
    /// Sets a property: its key in a patch, and its value as JSON.
    case setProperty(String, Scope, Int, String)
    /// Sets a parameter: its key in a patch, and its value as JSON.
    case setParameter(String, Scope, Int, String)
    /// Gives the node so many input elements.
    case setInputCount(Int)
    /// Gives the node so many output elements.
    case setOutputCount(Int)
    /// Puts a FormatConverter between an input element and what is connected to it.
    case insertConverter(Int, StreamFormat)
    /// Puts a splitter behind the output that what is connected to an input element takes from, beside
    /// others that take from it.
    case insertSplitter(Int)
    /// Has the graph make paths that meet equally late.
    case compensateLatency
    /// Takes away what feeds an input element.
    case removeFeed(Int)
  }

  /// An instruction: "give it more inputs".
  public var title: String
  /// To be made together or not at all.
  public var changes: [Change]
  /// Whether it is what was meant beyond doubt, so that it may be made without asking.
  public var isSafe: Bool

  public init(_ title: String, _ changes: [Change], isSafe: Bool = false) {
    self.title = title
    self.changes = changes
    self.isSafe = isSafe
  }
}
