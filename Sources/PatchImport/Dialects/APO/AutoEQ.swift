import Diagnostics
import PatchSyntax

/// Reads results of AutoEq: `ParametricEQ.txt`, `FixedBandEQ.txt` and `GraphicEQ.txt`.
enum AutoEQ {
  static func read(_ reading: inout ImportReading) throws(ImportRefused) -> FilterChain {
    var chain = FilterChain(
      sampleRate: reading.options.sampleRate, channels: reading.options.channels)
    for number in 1...reading.source.lineCount {
      let line = TextLine(reading.source, line: number, base: 0)
      if line.isEmpty || line.trimmed.text.hasPrefix("#") { continue }
      guard let (key, rest) = line.command else {
        reading.report(ImportRules.ignored, "this line has no command", at: line.range)
        continue
      }
      switch key.text {
      case "Preamp":
        guard let gain = NumberText.prefix(of: rest.withDecimalPoints.scalars) else {
          reading.report(ImportRules.ignored, "it has no number of decibels", at: line.range)
          continue
        }
        try reading.add(.init(.gain(gain, isInverted: false), at: rest.range), to: &chain)
      case "GraphicEQ":
        guard let points = GraphicPoints.read(rest) else {
          reading.report(
            ImportRules.ignored, "this is no list of frequencies and gains", at: line.range)
          continue
        }
        try reading.add(.init(.curve(points), at: rest.range), to: &chain)
      case let key where key.hasPrefix("Filter"): try filter(rest, line, &chain, &reading)
      default:
        reading.report(
          ImportRules.ignored, "AutoEq's files have no '\(key.text)'", at: line.range,
          help: "'--from equalizer-apo' reads all commands of Equalizer APO")
      }
    }
    return chain
  }

  private static func filter(
    _ rest: TextLine, _ line: TextLine, _ chain: inout FilterChain, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    let filter = FilterLine(rest)
    switch filter.state {
    case .unknown:
      reading.report(ImportRules.ignored, "this filter is neither ON nor OFF", at: line.range)
    case .off:
      if filter.type != "None" {
        reading.report(ImportRules.disabled, "this filter is switched off", at: line.range)
      }
    case .on:
      if filter.type == "None" { return }
      // A band of Q 0 is a placeholder that keeps the numbering.
      if filter.hasQ, filter.q == nil {
        reading.report(
          ImportRules.ignored, "a filter of Q 0 is none: Equalizer APO passes over this line",
          at: line.range)
        return
      }
      // Until 2023 AutoEq wrote shelves as LS and HS, with the frequency of the centre too.
      switch APOSections.section(
        of: filter, sampleRate: chain.sampleRate, cornersAreCentres: true)
      {
      case .section(let section):
        try reading.add(.init(.section(section), at: rest.range), to: &chain)
      case .rejected(let why): reading.report(ImportRules.ignored, "\(why)", at: line.range)
      }
    }
  }
}
