public import PatchSyntax

/// A finished recording of a run.
public struct ControlTake: Hashable, Sendable {
  /// The number, from 1, in the order of completion.
  public var number: Int
  /// The path of the file, absolute or relative to the working directory.
  public var file: String
  /// The duration in seconds.
  public var duration: Double
  public var frames: Int

  public init(number: Int, file: String, duration: Double, frames: Int) {
    self.number = number
    self.file = file
    self.duration = duration
    self.frames = frames
  }
}

/// An open file that any thread may read.
public protocol ControlFile: Sendable {
  var byteCount: Int { get }

  /// The bytes from an offset on; `nil` if they cannot be read.
  func bytes(at place: Int, count: Int) -> [UInt8]?
}

/// A Language Server Protocol request about the text in an editor of the panel, which the language
/// server has not opened.
public struct ControlLanguageRequest: Hashable, Sendable {
  /// The method, such as `textDocument/hover`.
  public var method: String
  /// The parameters without `textDocument`.
  public var parameters: JSONText
}

/// The render time of a graph's parts in the last seconds.
public struct ControlShares: Hashable, Sendable {
  public enum Part: Hashable, Sendable {
    case node(String)
    case callback(String)
    case tap(String)
    /// Conversions between buses, and fades.
    case conversion
  }

  public struct Share: Hashable, Sendable {
    public var part: Part
    /// The share of the render time of all parts, from 0 to 1.
    public var share: Double
    /// The share of the elapsed time: 1 is one processor core.
    public var load: Double

    public init(part: Part, share: Double, load: Double) {
      self.part = part
      self.share = share
      self.load = load
    }
  }

  /// The measured time in seconds; 0 if nothing is measured yet.
  public var seconds: Double
  /// Sorted by share, the largest first.
  public var shares: [Share]

  public init(seconds: Double, shares: [Share]) {
    self.seconds = seconds
    self.shares = shares
  }
}
