public import Diagnostics

/// Imports the filter files of other programs.
public enum FilterImport {
  /// The result of an import.
  public struct Result: Sendable {
    /// The filters; `nil` where the file is refused.
    public var chain: FilterChain?
    public var dialect: ImportDialect
    /// The text that ranges refer to: the text of the file in UTF-8, followed by those of the files
    /// that it includes.
    public var source: SourceText
    public var diagnostics: [Diagnostic]
  }

  /// Reads a text. It opens the files that the text names.
  ///
  /// - Parameters:
  ///   - dialect: The program that the text was written for; `nil` to recognize it from the text.
  ///
  /// - Returns: `nil` where the program is not recognized.
  public static func read(
    _ source: SourceText, from dialect: ImportDialect?, _ options: ImportOptions
  ) -> Result? {
    let isGuess = dialect == nil
    guard let dialect = dialect ?? .detected(in: source) else { return nil }
    var reading = ImportReading(PlainText.decoded(source), options)
    reading.isGuess = isGuess
    var chain: FilterChain?
    do throws(ImportRefused) {
      if source.bytes.count > ImportOptions.maximumBytes { throw reading.refuseSize() }
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
    if let chain { reading.reportHeadroom(of: chain) }
    let whole = reading.source.appending(reading.included)
    return Result(
      chain: chain, dialect: dialect, source: whole,
      diagnostics: reading.findings.all.inDocumentOrder())
  }
}
