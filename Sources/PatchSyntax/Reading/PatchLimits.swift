import Diagnostics

/// Limits on the size of a patch and of what it produces. They keep a small document from using up
/// time or memory.
///
/// Ordinary patches stay below them. The user who runs a patch can raise a limit, as with
/// `--limit memory=2G`; a patch cannot.
public struct PatchLimits: Hashable, Sendable {
  /// One of the limits.
  public enum Limit: String, CaseIterable, Sendable {
    case bytes, nodes, buses, callbacks, updates, steps, memory, seconds

    /// What it counts, in words that can follow "at most so many".
    public var summary: String {
      switch self {
      case .bytes: "bytes of a document, and of all its sub-graphs together"
      case .nodes: "nodes, callbacks and taps of a patch, with those of its sub-graphs"
      case .buses: "buses that \"inputCount\" and \"outputCount\" of all nodes add up to"
      case .callbacks: "callbacks in one chain"
      case .updates:
        "bytes of the documents that a timeline's updates make, 512 more for each node and callback"
      case .steps: "steps that the repetitions of a timeline add"
      case .memory: "bytes that units, callbacks and taps take for the patch"
      case .seconds: "seconds of an impulse response"
      }
    }

    /// The default.
    public var standard: Int {
      switch self {
      case .bytes: 16 << 20
      case .nodes: 25_000
      case .buses: 65_536
      case .callbacks: 256
      case .updates: 32 << 20
      case .steps: 100_000
      case .memory: 384 << 20
      case .seconds: 30
      }
    }

    /// The greatest value that it can be set to.
    var maximum: Int {
      switch self {
      // The reader and its tables cannot count more.
      case .bytes: 1 << 31 - 1
      case .callbacks: 1_000_000
      case .seconds: 600
      case .steps: 10_000_000
      default: 1 << 53
      }
    }

    /// Whether it counts bytes. Its value is then written in K, M or G where it is a multiple of
    /// one of them.
    var isInBytes: Bool { [.bytes, .updates, .memory].contains(self) }

    /// A value as `--limit` takes it: `16M`, or `25000`.
    public func text(_ value: Int) -> String {
      guard isInBytes else { return String(value) }
      for (letter, factor) in [("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)]
      where value >= factor && value % factor == 0 {
        return "\(value / factor)\(letter)"
      }
      return String(value)
    }
  }

  public static let standard = PatchLimits()

  private var values: [Limit: Int] = [:]
  /// How many findings of each kind are kept and shown.
  public var findings = Findings.standardLimit

  public init() {}

  /// The value of a limit.
  public subscript(limit: Limit) -> Int {
    get { values[limit] ?? limit.standard }
    set { values[limit] = newValue }
  }

  public var bytes: Int { self[.bytes] }
  public var nodes: Int { self[.nodes] }
  public var buses: Int { self[.buses] }
  public var callbacks: Int { self[.callbacks] }
  public var updates: Int { self[.updates] }
  public var steps: Int { self[.steps] }
  public var memory: Int { self[.memory] }
  public var seconds: Int { self[.seconds] }

  /// Sets a limit from the command line: `NAME=VALUE`, where K, M and G behind the number multiply
  /// it by 1024, 1024² and 1024³.
  ///
  /// - Returns: What is wrong with the text; `nil` where the limit has been set.
  public mutating func set(_ text: String) -> String? {
    guard let equals = text.firstIndex(of: "=") else {
      return "'--limit \(text)' has no '=': write --limit memory=2G, for example"
    }
    let name = String(text[..<equals])
    guard let limit = Limit(rawValue: name) else {
      let names = Limit.allCases.map(\.rawValue)
      return ["there is no limit \(quoted(name))", didYouMean(name, among: names)]
        .compactMap(\.self).joined(separator: ": ")
        + "; the limits are: " + names.joined(separator: ", ")
    }
    var digits = text[text.index(after: equals)...]
    var factor = 1
    if let last = digits.last, let shift = ["K": 10, "M": 20, "G": 30][String(last).uppercased()] {
      digits = digits.dropLast()
      factor = 1 << shift
    }
    guard let number = Int(digits), number >= 1, number <= limit.maximum / factor else {
      return "\(quoted(text)): \(limit.rawValue) is a whole number from 1 to "
        + limit.text(limit.maximum)
    }
    self[limit] = number * factor
    return nil
  }

  /// The help of a diagnostic about a limit that is exceeded.
  public func help(_ limit: Limit, needed: Int) -> String {
    var wanted = needed
    if limit.isInBytes {
      // The next whole number of megabytes.
      wanted = max(1, (needed + (1 << 20) - 1) >> 20) << 20
    }
    return "where it is meant, `--limit \(limit.rawValue)=\(limit.text(wanted))` allows it"
  }
}

extension Diagnostic {
  fileprivate static func count(_ number: Int) -> Message { Message(decimal(number)) }

  /// - Parameter count: `nil` where it is not known.
  static func tooManyBytes(_ count: Int?, _ limits: PatchLimits) -> Diagnostic {
    let allowed = self.count(limits.bytes)
    return SyntaxRules.bytes.diagnostic(
      count.map { "the document has \(self.count($0)) bytes, and \(allowed) are allowed" }
        ?? "the document has more than \(allowed) bytes",
      at: 0..<0, help: [limits.help(.bytes, needed: count ?? 2 * limits.bytes)])
  }

  static func tooManyNodes(at json: JSONValue, _ limits: PatchLimits) -> Diagnostic {
    let total = json.members.reduce(0) { count, _ in count + 1 }
    return PatchRules.nodes.diagnostic(
      "with these the patch has more than \(count(limits.nodes)) nodes, callbacks and taps",
      at: json.markRange, pointer: json.pointer.description,
      label: "\(count(total)) here", help: [limits.help(.nodes, needed: limits.nodes + total)])
  }
}
