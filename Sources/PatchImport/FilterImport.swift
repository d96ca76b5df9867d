public import Diagnostics

/// Reads the filters of other programs.
public enum FilterImport {
  public struct Result: Sendable {
    /// `nil` where the file is refused.
    public var chain: FilterChain?
    public var dialect: ImportDialect
    /// The text that ranges point into: the file's in UTF-8, with those that it includes behind it.
    public var source: SourceText
    public var diagnostics: [Diagnostic]
  }

  /// Reads a text.
  ///
  /// - Parameter dialect: What it was written for; `nil` to see that from the text.
  /// - Returns: `nil` where the dialect is not known.
  public static func read(
    _ source: SourceText, from dialect: ImportDialect?, _ options: ImportOptions
  ) -> Result? {
    let isGuess = dialect == nil
    guard let dialect = dialect ?? .detected(in: source) else { return nil }
    var reading = ImportReading(PlainText.decoded(source), options)
    reading.isGuess = isGuess
    var chain: FilterChain?
    do throws(ImportRefused) {
      if source.bytes.count > ImportOptions.mostBytes { throw reading.refuseSize() }
      chain =
        switch dialect {
        case .equalizerAPO: try EqualizerAPO.read(&reading)
        case .autoEQ: try AutoEQ.read(&reading)
        case .rew: try RoomEQWizard.read(&reading)
        case .camillaDSP: try CamillaDSP.read(&reading)
        case .pipeWire: try PipeWire.read(&reading)
        case .easyEffects: try EasyEffects.read(&reading)
        }
    } catch { chain = nil }
    if let chain { reading.sayHeadroom(of: chain) }
    let whole = reading.source.appending(reading.included)
    return Result(
      chain: chain, dialect: dialect, source: whole,
      diagnostics: reading.findings.all.inDocumentOrder())
  }
}
