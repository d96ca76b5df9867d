import AudioTypes
import Diagnostics
import FileAccess
import PatchSyntax

/// The state of an import: the file's text, the included texts, and the diagnostics.
struct ImportReading {
  let source: SourceText
  let options: ImportOptions
  var findings = Findings(limit: 100)
  /// Whether the dialect was recognized from the text.
  var isGuess = false
  private(set) var included: [SourceText] = []
  /// The offset of the next included text in the combined text.
  private var nextBase: Int
  private var byteCount: Int

  init(_ source: SourceText, _ options: ImportOptions) {
    self.source = source
    self.options = options
    nextBase = source.bytes.count + 1
    byteCount = source.bytes.count
  }

  /// Adds a finding.
  ///
  /// - Parameter severity: `nil` for that of the rule.
  mutating func report(
    _ rule: Rule, _ message: Diagnostic.Message, at range: SourceRange, pointer: String? = nil,
    severity: Severity? = nil, help: String? = nil
  ) {
    var diagnostic = rule.diagnostic(
      message, at: range, pointer: pointer, help: help.map { [$0] } ?? [])
    if let severity { diagnostic.severity = severity }
    findings.append(diagnostic)
  }

  /// Reports why the file is not imported, and returns the error to throw.
  mutating func refuse(
    _ message: Diagnostic.Message, at range: SourceRange, pointer: String? = nil,
    help: String? = nil
  ) -> ImportRefused {
    report(ImportRules.refused, message, at: range, pointer: pointer, help: help)
    return ImportRefused()
  }

  mutating func refuseSize(at range: SourceRange = 0..<0) -> ImportRefused {
    report(ImportRules.size, "the file has more than 4 MiB, with all that it includes", at: range)
    return ImportRefused()
  }

  /// Adds a stage.
  ///
  /// - Throws: A refusal, which has been reported, where the chain is full.
  mutating func add(_ stage: FilterChain.Stage, to chain: inout FilterChain) throws(ImportRefused) {
    guard chain.stages.count < ImportOptions.maximumStages else {
      report(
        ImportRules.size, "this is the 4,097th filter, and 4,096 are imported", at: stage.range)
      throw ImportRefused()
    }
    chain.stages.append(stage)
  }

  /// Reads a file that the text names.
  ///
  /// - Returns: Its text in UTF-8, and the offset of that text in the combined text; `nil` where it
  ///   cannot be read, which has been reported.
  ///
  /// - Throws: A refusal, which has been reported, where the files are too large or too many.
  mutating func include(
    _ path: String, from folder: String, at range: SourceRange
  ) throws(ImportRefused) -> (source: SourceText, base: Int)? {
    let place = FilePolicy.join(folder, path.replacing("\\", with: "/"))
    let contents: FilePolicy.Contents
    do throws(FileRefusal) {
      contents = try options.files.read(place, limit: ImportOptions.maximumBytes)
    } catch {
      report(
        ImportRules.file, Diagnostic.Message(error.message(for: path)), at: range,
        help: error.help.isEmpty ? nil : error.help)
      return nil
    }
    byteCount += contents.bytes.count
    guard byteCount <= ImportOptions.maximumBytes, included.count < 1000 else {
      throw refuseSize(at: range)
    }
    let text = PlainText.decoded(SourceText(name: place, bytes: contents.bytes))
    let base = nextBase
    included.append(text)
    nextBase += text.bytes.count + 1
    return (text, base)
  }

  /// Reports that signals at full scale would clip, where the filters have more gain than 0 dB.
  mutating func reportHeadroom(of chain: FilterChain) {
    guard let greatest = chain.greatestGain, greatest.decibels > 0.05 else { return }
    let gain = Decimals.text(greatest.decibels, digits: 1)
    report(
      ImportRules.headroom,
      """
      the filters raise \(Decimals.text(greatest.frequency, digits: 0)) Hz by \(gain) dB, and what is \
      loud there is cut off
      """,
      at: chain.stages.first?.range ?? 0..<0,
      help: "a gain of -\(gain) dB in front of them leaves room for it")
  }
}
