public import Diagnostics

/// A program whose filter files can be imported.
public enum ImportDialect: String, CaseIterable, Sendable {
  case equalizerAPO = "equalizer-apo"
  case autoEQ = "autoeq"
  case rew
  case camillaDSP = "camilladsp"
  case pipeWire = "pipewire"
  case easyEffects = "easyeffects"

  /// The program's name, as its authors write it.
  public var name: String {
    switch self {
    case .equalizerAPO: "Equalizer APO"
    case .autoEQ: "AutoEq"
    case .rew: "REW"
    case .camillaDSP: "CamillaDSP"
    case .pipeWire: "PipeWire's filter-chain"
    case .easyEffects: "EasyEffects"
    }
  }

  /// The program that a text was written for, recognized by its keywords; `nil` where none fits.
  public static func detected(in source: SourceText) -> ImportDialect? {
    let source = PlainText.decoded(source)
    let text = String(decoding: source.bytes.prefix(1 << 20), as: UTF8.self)
    if text.contains("plugins_order") { return .easyEffects }
    if ["filter.graph", "context.modules", "libpipewire-module-filter-chain"].contains(where: {
      text.contains($0)
    }) {
      return .pipeWire
    }
    let lines = (1...source.lineCount).map { TextLine(source, line: $0, base: 0) }
    let keys = lines.map { $0.command?.key.text ?? "" }
    // A key of CamillaDSP's root at the beginning of a line, with nothing or a brace behind it.
    let blocks = lines.filter { line in
      guard let command = line.command, command.rest.isEmpty || command.rest.scalars[0] == "{",
        let first = line.scalars.first, !TextLine.isBlank(first)
      else { return false }
      return ["devices", "pipeline", "filters", "mixers"].contains(command.key.text)
    }
    if !blocks.isEmpty { return .camillaDSP }
    if lines.contains(where: { $0.text.hasPrefix("Filter Settings file") })
      || keys.contains("Equaliser") || lines.contains(where: isOfREW)
    {
      return .rew
    }
    let used = zip(lines, keys).filter { !$0.0.isEmpty }
    if used.count == 1, keys.contains("GraphicEQ") { return .autoEQ }
    if used.first?.1 == "Preamp", used.dropFirst().enumerated().allSatisfy(isOfAutoEQ) {
      return .autoEQ
    }
    let commands = EqualizerAPO.commands
    return keys.contains { commands.contains($0) || $0.hasPrefix("Filter") } ? .equalizerAPO : nil
  }

  /// A filter line in REW's columns, for files without the header.
  private static func isOfREW(_ line: TextLine) -> Bool {
    guard let (key, rest) = line.command, key.text.hasPrefix("Filter"), rest.count > 12 else {
      return false
    }
    return line.text.contains("Filter  1:") && line.text.contains("ON  ")
      && line.text.contains("     Fc ")
  }

  private static func isOfAutoEQ(_ index: Int, _ line: (TextLine, String)) -> Bool {
    guard line.1 == "Filter \(index + 1)", let rest = line.0.command?.rest else { return false }
    return ["PK", "LSC", "HSC"].contains(FilterLine(rest).type)
  }
}
