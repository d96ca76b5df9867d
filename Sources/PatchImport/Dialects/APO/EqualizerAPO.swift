import AudioTypes
import Diagnostics
import PatchSyntax

/// Reads configurations of Equalizer APO, which have one command on each line.
struct EqualizerAPO {
  /// The known commands, without `Filter`.
  static let commands: Set<String> = [
    "Preamp", "Channel", "Copy", "Delay", "GraphicEQ", "Convolution", "Include", "Device", "Stage",
    "If", "ElseIf", "Else", "EndIf", "Eval", "VSTPlugin", "LoudnessCorrection",
  ]

  private var chain: FilterChain
  /// The names of all channels, including those that `Copy` has added.
  private var names: [String]
  /// The channels that the commands apply to; `nil` for all.
  private var selected: [Int]?
  /// Whether the current lines apply to the device that is imported.
  private var isDeviceSelected = true
  private var device: String?
  private var isPostMix = true
  /// The open `If`s, the innermost last: whether the current branch is taken, and whether any
  /// branch so far was taken.
  private var branches: [(isTaken: Bool, hasBeenTaken: Bool)] = []
  private var variables: [String: APOExpression.Value]
  private var depth = 0

  static func read(_ reading: inout ImportReading) throws(ImportRefused) -> FilterChain {
    var reader = EqualizerAPO(reading.options)
    try reader.read(reading.source, base: 0, folder: reading.options.folder, &reading)
    return reader.chain
  }

  private init(_ options: ImportOptions) {
    chain = FilterChain(sampleRate: options.sampleRate, channels: options.channels)
    names = options.channels
    device = options.device
    variables = [
      "sampleRate": .number(options.sampleRate),
      "inputChannelCount": .number(Double(options.channels.count)),
      "outputChannelCount": .number(Double(options.channels.count)),
      "deviceName": .text(options.device ?? ""), "connectionName": .text(""),
      "deviceGuid": .text(""), "stage": .text("post-mix"),
    ]
  }

  private mutating func read(
    _ source: SourceText, base: Int, folder: String, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    for number in 1...source.lineCount {
      let line = TextLine(source, line: number, base: base)
      guard !line.isEmpty, let (key, rest) = line.command else {
        if !line.isEmpty { reportUnknown(line, &reading) }
        continue
      }
      try apply(key, rest, line, folder, &reading)
    }
  }

  private func reportUnknown(_ line: TextLine, _ reading: inout ImportReading) {
    let text = line.trimmed.text
    // Comments need no report.
    if text.hasPrefix("#") || text.hasPrefix("//") || text.hasPrefix(";") { return }
    reading.report(
      ImportRules.ignored, "this line has no command, and Equalizer APO passes over it",
      at: line.range, help: "a command is a word with a colon behind it, as in 'Preamp: -6 dB'")
  }

  private func ignore(
    _ line: TextLine, _ why: String, _ reading: inout ImportReading, help: String? = nil
  ) {
    reading.report(
      ImportRules.ignored, "\(why): Equalizer APO passes over this line", at: line.range, help: help
    )
  }

  private mutating func apply(
    _ key: TextLine, _ rest: TextLine, _ line: TextLine, _ folder: String,
    _ reading: inout ImportReading
  ) throws(ImportRefused) {
    let name = key.text
    if name == "Device" { return choose(device: rest, line, &reading) }
    guard isDeviceSelected else { return }
    switch name {
    case "If", "ElseIf", "Else", "EndIf":
      applyCondition(name, rest, line, &reading)
      return
    default: break
    }
    guard branches.allSatisfy(\.isTaken) else { return }
    guard let rest = expanded(rest, line, &reading) else { return }
    switch name {
    case "Eval": assign(rest, line, &reading)
    case "Include": try include(rest, line, folder, &reading)
    case "Stage": choose(stage: rest, line, &reading)
    default:
      guard isPostMix else { return }
      try addEffect(name, rest, line, &reading)
    }
  }

  private mutating func addEffect(
    _ name: String, _ rest: TextLine, _ line: TextLine, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    switch name {
    case "Preamp":
      guard let gain = NumberText.prefix(of: rest.withDecimalPoints.scalars) else {
        return ignore(line, "it has no number of decibels", &reading)
      }
      try add(.gain(gain, isInverted: false), rest, &reading)
    case "Channel": choose(channels: rest, &reading)
    case "Copy": try addCopy(rest, line, &reading)
    case "Delay": try addDelay(rest, line, &reading)
    case "GraphicEQ": try addGraphicEQ(rest, line, &reading)
    case "Convolution":
      guard !rest.isEmpty else { return ignore(line, "it names no file", &reading) }
      try add(.convolution(.init(rest.text)), rest, &reading)
    case "VSTPlugin", "LoudnessCorrection":
      reading.report(ImportRules.unsupported, "'\(name)' has no equivalent here", at: line.range)
    case let name where name.hasPrefix("Filter"): try addFilter(rest, line, &reading)
    case let name where name.hasPrefix("#") || name.hasPrefix("//") || name.hasPrefix(";"): break
    default:
      ignore(
        line, "'\(name)' is no command", &reading,
        help: didYouMean(name, among: Self.commands.sorted() + ["Filter"]))
    }
  }

  private mutating func add(
    _ kind: FilterChain.Kind, _ line: TextLine, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    // None of the selected channels exists.
    if let selected, selected.isEmpty { return }
    let channels = selected.flatMap { $0.count == names.count ? nil : $0 }
    try reading.add(.init(kind, channels: channels, at: line.range), to: &chain)
  }

  // MARK: Scope of commands

  private mutating func choose(
    device rest: TextLine, _ line: TextLine, _ reading: inout ImportReading
  ) {
    let patterns = rest.split(";").map { $0.trimmed.text }.filter { !$0.isEmpty }
    if patterns.contains("all") {
      isDeviceSelected = true
      return
    }
    if device == nil, let first = patterns.first {
      device = first
      variables["deviceName"] = .text(first)
      reading.report(
        ImportRules.unclear, "what is for the device '\(first)' is imported", at: line.range,
        severity: .note, help: "'--device NAME' imports what is for another one")
    }
    let words = (device ?? "").lowercased()
    isDeviceSelected = patterns.contains { pattern in
      pattern == device
        || pattern.lowercased().split(separator: " ").allSatisfy { words.contains($0) }
    }
    if !isDeviceSelected {
      reading.report(
        ImportRules.unclear,
        "what follows is for the device '\(rest.text)', and not imported", at: line.range,
        severity: .note)
    }
  }

  private mutating func choose(
    stage rest: TextLine, _ line: TextLine, _ reading: inout ImportReading
  ) {
    isPostMix = rest.words.contains { $0.text == "post-mix" }
    if !isPostMix {
      reading.report(
        ImportRules.unclear,
        "what follows is for the stage '\(rest.text)', and not imported", at: line.range,
        severity: .note, help: "what is for 'post-mix', where the loudspeakers are, is imported")
    }
  }

  private mutating func choose(channels rest: TextLine, _ reading: inout ImportReading) {
    var chosen: Set<Int> = []
    for word in rest.words {
      if word.text.uppercased() == "ALL" {
        selected = nil
        return
      }
      if let index = channel(word.text) {
        chosen.insert(index)
      } else {
        reading.report(
          ImportRules.ignored,
          """
          there is no channel '\(word.text)' of \(names.joined(separator: ", ")), and Equalizer APO \
          passes over it
          """,
          at: word.range, help: "'--channels' says which channels there are")
      }
    }
    selected = chosen.sorted()
  }

  /// The index of a channel by its name, its number from 1 or another name for it.
  private func channel(_ name: String) -> Int? {
    let name = name.uppercased()
    let names = names.map { $0.uppercased() }
    if let index = names.firstIndex(of: name) { return index }
    if let number = Int(name), (1...names.count).contains(number) { return number - 1 }
    let others = ["RL": "SL", "RR": "SR", "SL": "RL", "SR": "RR", "SUB": "LFE"]
    return others[name].flatMap { names.firstIndex(of: $0) }
  }

  private mutating func applyCondition(
    _ name: String, _ rest: TextLine, _ line: TextLine, _ reading: inout ImportReading
  ) {
    func holds() -> Bool {
      do throws(APOExpression.Problem) {
        return try APOExpression.value(of: rest.text, variables).isTrue
      } catch {
        reading.report(
          ImportRules.unsupported,
          "this condition has no value, and counts as false: \(error.message)", at: line.range)
        return false
      }
    }
    switch name {
    case "If":
      guard branches.count < 100 else { return }
      let isTaken = branches.allSatisfy(\.isTaken) && holds()
      branches.append((isTaken, isTaken))
    case "EndIf":
      if branches.popLast() == nil { ignore(line, "there is no 'If' before it", &reading) }
    default:
      guard let last = branches.popLast() else {
        return ignore(line, "there is no 'If' before it", &reading)
      }
      let isTaken =
        !last.hasBeenTaken && branches.allSatisfy(\.isTaken) && (name == "Else" || holds())
      branches.append((isTaken, last.hasBeenTaken || isTaken))
    }
  }

  /// The line with each expression between back-ticks replaced by its value; `nil` where one has no
  /// value.
  private func expanded(
    _ rest: TextLine, _ line: TextLine, _ reading: inout ImportReading
  ) -> TextLine? {
    var rest = rest
    while let start = rest.scalars.firstIndex(of: "`") {
      guard let end = rest.scalars[(start + 1)...].firstIndex(of: "`") else {
        ignore(line, "a back-tick has no other", &reading)
        return nil
      }
      do throws(APOExpression.Problem) {
        let value = try APOExpression.value(of: rest.part((start + 1)..<end).text, variables)
        rest = rest.replacing(
          start..<(end + 1), with: value.replacementText.replacing("`", with: "'"))
      } catch {
        reading.report(
          ImportRules.unsupported, "this expression has no value: \(error.message)",
          at: rest.range(start..<(end + 1)))
        return nil
      }
    }
    return rest
  }

  private mutating func assign(
    _ rest: TextLine, _ line: TextLine, _ reading: inout ImportReading
  ) {
    let parts = rest.text.split(separator: "=", maxSplits: 1)
    let name = parts.first.map { String($0).filter { $0 != " " } } ?? ""
    guard parts.count == 2, !name.isEmpty, !parts[1].hasPrefix("=") else { return }
    do throws(APOExpression.Problem) {
      variables[name] = try APOExpression.value(of: String(parts[1]), variables)
    } catch {
      reading.report(
        ImportRules.unsupported, "this expression has no value: \(error.message)", at: line.range)
    }
  }

  private mutating func include(
    _ rest: TextLine, _ line: TextLine, _ folder: String, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    guard !rest.isEmpty else { return ignore(line, "it names no file", &reading) }
    guard depth < 100 else {
      reading.report(
        ImportRules.file, "files include each other more than 100 deep", at: line.range)
      throw ImportRefused()
    }
    guard let (text, base) = try reading.include(rest.text, from: folder, at: rest.range)
    else { return }
    depth += 1
    let before = selected
    let path = text.name.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    try read(text, base: base, folder: path.joined(separator: "/"), &reading)
    selected = before
    depth -= 1
  }

  // MARK: Effects

  private mutating func addDelay(
    _ rest: TextLine, _ line: TextLine, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    let text = rest.withDecimalPoints
    let unit = String(
      String.UnicodeScalarView(
        text.scalars.drop {
          NumberText.isDigit($0) || "+-.eE".unicodeScalars.contains($0) || TextLine.isBlank($0)
        })
    ).lowercased()
    guard let value = NumberText.prefix(of: text.scalars), value >= 0,
      unit == "ms" || unit == "samples"
    else {
      return ignore(
        line, "it is no delay", &reading,
        help: "a delay is a number from 0 with 'ms' or 'samples' behind it")
    }
    let frames = unit == "ms" ? value / 1000 * chain.sampleRate : value
    try add(.delay((frames + 0.5).rounded(.down) / chain.sampleRate), rest, &reading)
  }

  private mutating func addGraphicEQ(
    _ rest: TextLine, _ line: TextLine, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    guard let points = GraphicPoints.read(rest) else {
      return ignore(
        line, "it is no list of frequencies and gains", &reading,
        help: "points are written 'GraphicEQ: 100 0; 1000 -3'")
    }
    try add(.curve(points), rest, &reading)
  }

  private mutating func addFilter(
    _ rest: TextLine, _ line: TextLine, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    let words = rest.words.map(\.text)
    if words.count > 1, words[0] == "ON", words[1] == "IIR" {
      return try addRecursiveFilter(Array(words.dropFirst(2)), rest, line, &reading)
    }
    let filter = FilterLine(rest)
    switch filter.state {
    case .unknown: ignore(line, "it is neither ON nor OFF", &reading)
    case .off:
      if filter.type != "None" {
        reading.report(ImportRules.disabled, "this filter is switched off", at: line.range)
      }
    case .on:
      if filter.type == "None" { return }
      switch APOSections.section(of: filter, sampleRate: chain.sampleRate) {
      case .section(let section):
        reportIfUnclear(filter, rest, &reading)
        try add(.section(section), rest, &reading)
      case .rejected(let why): ignore(line, why, &reading)
      }
    }
  }

  /// Reports a shelf whose frequency may be the centre: other programs write the centre with the
  /// types that have the corner in Equalizer APO.
  private func reportIfUnclear(
    _ filter: FilterLine, _ rest: TextLine, _ reading: inout ImportReading
  ) {
    guard reading.isGuess, filter.type == "LS" || filter.type == "HS", filter.slope == nil,
      filter.q != nil
    else { return }
    reading.report(
      ImportRules.unclear,
      "this frequency is taken for the corner of the shelf, as Equalizer APO takes it",
      at: rest.range,
      help: "'--from autoeq' takes it for the middle; '--from equalizer-apo' says that it is right")
  }

  private mutating func addRecursiveFilter(
    _ words: [String], _ rest: TextLine, _ line: TextLine, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    guard words.count > 3, words[0] == "Order", let order = Int(words[1]), (1...64).contains(order),
      words[2] == "Coefficients"
    else {
      return ignore(line, "it is no 'IIR Order n Coefficients ...'", &reading)
    }
    let values = words.dropFirst(3).map { NumberText.value(of: $0) ?? .nan }
    guard values.count == 2 * (order + 1), values.allSatisfy(\.isFinite), values[order + 1] != 0
    else {
      return ignore(
        line, "a filter of order \(order) has \(2 * (order + 1)) coefficients", &reading)
    }
    let scale = values[order + 1]
    try add(
      .recursive(
        b: values[...order].map { $0 / scale }, a: values[(order + 1)...].map { $0 / scale }),
      rest, &reading)
  }

  private mutating func addCopy(
    _ rest: TextLine, _ line: TextLine, _ reading: inout ImportReading
  ) throws(ImportRefused) {
    switch ChannelCopy.read(rest, names: names, find: { self.channel($0) }) {
    case .problem(let why): ignore(line, why, &reading)
    case .constant:
      reading.report(
        ImportRules.unsupported, "a channel of a constant that is not 0 has no equivalent here",
        at: line.range)
    case .mix(let matrix, let newChannels):
      names += newChannels
      try reading.add(.init(.mix(matrix), at: rest.range), to: &chain)
    }
  }
}
