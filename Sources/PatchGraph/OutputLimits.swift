import AudioTypes
import Diagnostics
import Glibc
public import PatchSyntax

/// How loud a patch may become, and how loud requests may make it: its `limits`.
public struct OutputLimits: Hashable, Sendable {
  /// The greatest gain that a request may set where the patch sets no limit, in decibels.
  public static let usualGain = 40.0

  /// The greatest magnitude of the output, above 0 and at most 1, which is full scale; `nil` for no
  /// limit.
  public var outputPeak: Float?
  /// The greatest gain that requests and OSC messages may set, in decibels.
  public var requestedGain = Self.usualGain

  public init() {}

  /// The limits of a document. A limit with an error counts as not written.
  init(of document: PatchDocument) {
    typealias Limits = PatchDocument.Limits
    let limits = document.limits?.value
    outputPeak = (limits?.outputPeak?.value).flatMap {
      Self.amplitude($0, in: Limits.outputPeakRange)
    }
    if let level = limits?.requestedGain?.value.decibels, Limits.requestedGainRange.contains(level)
    {
      requestedGain = level
    }
  }

  /// A level as a magnitude, rounded down to a float; `nil` where it is outside a range in
  /// decibels.
  public static func amplitude(_ level: Level, in range: ClosedRange<Double>) -> Float? {
    guard let decibels = level.decibels, range.contains(decibels) else { return nil }
    let value = if case .linear(let value) = level { value } else { pow(10, decibels / 20) }
    let nearest = Float(value)
    return Double(nearest) > value ? nearest.nextDown : nearest
  }

  /// A magnitude in decibels, for people: `-6 dBFS`, `-0.92 dBFS`.
  public static func text(ofPeak peak: Float) -> String {
    "\(decibelText(20 * log10(Double(peak)))) dBFS"
  }

  /// Decibels for people: to hundredths, without trailing zeros.
  static func decibelText(_ decibels: Double) -> String {
    // Adding 0 turns -0 into 0.
    plain(Float((decibels * 100).rounded() / 100 + 0))
  }
}

extension Level {
  /// The level in decibels; `nil` for a text that is not a level, and for a number that is not
  /// above 0.
  public var decibels: Double? {
    switch self {
    case .decibels(let value): value
    case .linear(let value): value > 0 && value.isFinite ? 20 * log10(value) : nil
    case .unknown: nil
    }
  }
}

extension GraphBuilder {
  /// Reports limits that are not levels, or are out of range.
  mutating func checkLimits() {
    guard let limits = document.limits?.value else { return }
    for (name, written, range) in [
      ("outputPeak", limits.outputPeak, PatchDocument.Limits.outputPeakRange),
      ("requestedGain", limits.requestedGain, PatchDocument.Limits.requestedGainRange),
    ] {
      guard let written, written.value.decibels.map(range.contains) != true else { continue }
      report(.limit(name, written, range))
    }
  }
}

extension Diagnostic {
  fileprivate static func limit(
    _ name: String, _ written: Located<Level>, _ range: ClosedRange<Double>
  ) -> Diagnostic {
    let highest = pow(10, range.upperBound / 20)
    var help = [
      "write \"\(name == "outputPeak" ? "-1" : "40") dB\", or a number above 0 and up to "
        + "\(plain(Float(highest))), of which 1 is full scale"
    ]
    var fixes: [Fix] = []
    func meant(_ decibels: Double) {
      guard range.contains(decibels) else { return }
      let text = "\"\(OutputLimits.decibelText(decibels)) dB\""
      help.insert("write \(text)", at: 0)
      fixes.append(Fix("say that it is in decibels", edits: [Edit(written.range, text)]))
    }
    let message: Message
    switch written.value {
    case .unknown(let text):
      message = "\(Message(quoted(text))) is no level"
      let number = text.split(separator: " ").first ?? ""
      if let value = Level.decimalNumber(in: number) { meant(value) }
    case .linear(let value) where value < 0:
      message = "a level as a number is above 0; what is below is in decibels"
      meant(value)
    case .linear, .decibels:
      let (low, high) = (plain(Float(range.lowerBound)), plain(Float(range.upperBound)))
      message = "'\(Message(name))' is \(Message(low)) to \(Message(high)) dB"
    }
    return LimitRules.level.diagnostic(
      message, at: written.range, pointer: written.pointer, help: help, fixes: fixes)
  }
}
