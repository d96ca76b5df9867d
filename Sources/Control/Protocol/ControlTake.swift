public import PatchSyntax

/// A recording that a run has finished.
public struct ControlTake: Hashable, Sendable {
  /// From 1 up, in the order in which they ended.
  public var number: Int
  /// As the patch and the name of the file have it, relative to the working directory or absolute.
  public var file: String
  /// In seconds.
  public var duration: Double
  public var frames: Int

  public init(number: Int, file: String, duration: Double, frames: Int) {
    self.number = number
    self.file = file
    self.duration = duration
    self.frames = frames
  }
}

/// A file that is open, to be read from any place by any thread.
public protocol ControlFile: Sendable {
  var byteCount: Int { get }

  /// Bytes from a place on; `nil` where they cannot be read.
  func bytes(at place: Int, count: Int) -> [UInt8]?
}

/// A question of the Language Server Protocol about a document that nobody has open.
public struct ControlQuestion: Hashable, Sendable {
  /// `textDocument/hover`.
  public var method: String
  /// Without the document.
  public var parameters: JSONText

  public init(method: String, parameters: JSONText) {
    self.method = method
    self.parameters = parameters
  }
}

/// What the parts of a graph have taken of late.
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
    /// Of what all parts have taken, from 0 to 1.
    public var share: Double
    /// Of the time that has passed: of one core.
    public var load: Double

    public init(part: Part, share: Double, load: Double) {
      self.part = part
      self.share = share
      self.load = load
    }
  }

  /// Over how many seconds; 0 where nothing has been measured yet.
  public var seconds: Double
  /// The part that takes most first.
  public var shares: [Share]

  public init(seconds: Double, shares: [Share]) {
    self.seconds = seconds
    self.shares = shares
  }
}
