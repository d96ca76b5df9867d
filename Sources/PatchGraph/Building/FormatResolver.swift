import AudioTypes
import AudioUnits
import Diagnostics
import PatchSyntax

/// Turns stream formats of the document into ``StreamFormat`` values.
package struct FormatResolver {
  private let named: [String: Located<PatchDocument.StreamFormat>]
  private let document: PatchDocument
  private let sessionRate: Double
  /// Names of formats that have been looked up.
  private(set) var used: Set<String> = []
  private var cache: [String: StreamFormat?] = [:]
  /// Whether "streamFormats" could not be read.
  private var areNamesLost = false
  /// For each unknown name, the index of its diagnostic in `findings`; `nil` where that was not
  /// kept.
  private var unknown: [String: Int?] = [:]
  private var findings: Findings
  private var details: DetailBudget
  var diagnostics: [Diagnostic] { findings.all }

  /// - Parameters:
  ///   - limit: How many findings of each kind are kept.
  ///   - shown: How many findings of each kind are shown. Only these get lists of candidates.
  init(
    _ document: PatchDocument, sessionRate: Double, findings limit: Int = .max, shown: Int = .max
  ) {
    findings = Findings(limit: limit)
    details = DetailBudget(limit: shown)
    named = Dictionary(
      document.streamFormats.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    self.document = document
    self.sessionRate = sessionRate
    // A format that could not be read counts as defined: its error has been reported.
    for (key, value) in document.root.members {
      guard let text = key.string, text != "streamFormat",
        text == "streamFormats" || !nearMisses(to: text, among: ["streamFormats"]).isEmpty
      else { continue }
      for member in value.members {
        if let name = member.key.string, named[name] == nil { cache[name] = .some(nil) }
      }
      areNamesLost = areNamesLost || value.kind != .object
    }
  }

  /// Resolves every definition, so that an error is reported once, at the definition.
  mutating func resolveDefinitions(_ document: PatchDocument) {
    for member in document.streamFormats where cache[member.name] == nil {
      cache[member.name] = .some(resolve(member.value))
    }
  }

  /// The format; `nil` where its error has been reported.
  mutating func resolve(_ format: Located<PatchDocument.StreamFormat>) -> StreamFormat? {
    switch format.value {
    case .name(let name):
      used.insert(name)
      if let known = cache[name] { return known }
      guard !areNamesLost else { return nil }
      let (document, named) = (document, named)
      let written = document.local(name, around: format.json)
      func candidates() -> [String] {
        document.locals(named.keys.sorted(), around: format.json)
      }
      if let place = unknown[name] {
        guard let place else { return nil }
        findings.change(place) {
          $0.add(
            "and here", at: format.range,
            $0.fixes.isEmpty ? [] : format.json.correction(of: written, among: candidates()))
        }
        return nil
      }
      let hasDetails = details.spend(on: NameRules.unknownFormat.code, at: format.json)
      let place = findings.append(NameRules.unknownFormat, at: format.range) {
        let known = hasDetails ? candidates() : []
        let listed = known.count > 50 ? known.prefix(50) + ["…"] : known[...]
        return NameRules.unknownFormat.diagnostic(
          "there is no stream format \(quoted(written))", at: format.range,
          pointer: format.pointer,
          help: [didYouMean(written, among: known)].compactMap(\.self) + [
            known.isEmpty
              ? "define it under \"streamFormats\", or write the format here"
              : "the stream formats are: " + listed.joined(separator: ", ")
          ], fixes: format.json.correction(of: written, among: known))
      }
      unknown.updateValue(place, forKey: name)
      return nil
    case .short(let short): return resolve(short, format.json)
    case .description(let fields): return resolve(fields, format.json)
    }
  }

  /// The rate in hertz.
  func rate(_ rate: PatchDocument.SampleRate) -> Double {
    switch rate {
    case .session: sessionRate
    case .hertz(let hertz): hertz
    }
  }

  private mutating func report(_ diagnostic: Diagnostic) { findings.append(diagnostic) }

  private mutating func resolve(
    _ short: PatchDocument.ShortFormat, _ json: JSONValue
  ) -> StreamFormat? {
    guard let sample = short.sample, let channels = short.channels,
      let rate = short.sampleRate
    else { return nil }
    let format = StreamFormat(
      sample.value, channels: channels.value, sampleRate: self.rate(rate.value),
      interleaved: short.interleaved?.value ?? false)
    guard let first = format.inconsistencies.first else { return format }
    report(
      NameRules.formatField.inconsistent(
        "\(first)", at: first.field == "mSampleRate" ? rate.json : json, help: []))
    return nil
  }

  private mutating func resolve(
    _ fields: PatchDocument.FormatDescription, _ json: JSONValue
  ) -> StreamFormat? {
    guard !fields.hasGaps, let formatID = formatID(fields.formatID),
      let flags = flags(fields.formatFlags)
    else {
      return nil
    }
    func word(_ value: Located<Int>?) -> UInt32 { UInt32(clamping: value?.value ?? 0) }
    var format = StreamFormat(
      sampleRate: fields.sampleRate.map { rate($0.value) } ?? 0, formatID: formatID, flags: flags,
      bytesPerPacket: word(fields.bytesPerPacket), framesPerPacket: word(fields.framesPerPacket),
      bytesPerFrame: word(fields.bytesPerFrame), channelsPerFrame: word(fields.channelsPerFrame),
      bitsPerChannel: word(fields.bitsPerChannel))
    format.reserved = word(fields.reserved)
    // A contradiction is reported at the field that contradicts.
    guard let first = format.inconsistencies.first else { return format }
    let place = json[first.field] ?? json
    report(
      NameRules.formatField.inconsistent(
        "\(first)", at: place,
        help: format.sampleType == nil
          ? [
            "the short form cannot contradict itself: { \"sample\": \"float32\", \"channels\": 2, "
              + "\"sampleRate\": 44100 }"
          ] : []))
    return nil
  }

  private mutating func formatID(_ json: JSONValue?) -> FourCharCode? {
    guard let json else { return .linearPCM }
    if let text = json.string {
      if text == "kAudioFormatLinearPCM" { return .linearPCM }
      if let code = FourCharCode(text) { return code }
    }
    if let number = json.integer, let word = UInt32(exactly: number) {
      return FourCharCode(rawValue: word)
    }
    if json.kind != .invalid {
      report(
        NameRules.formatField.diagnostic(
          "this is not a format's code", at: json.range, pointer: json.pointer.description,
          help: ["linear PCM is \"lpcm\" or \"kAudioFormatLinearPCM\""]))
    }
    return nil
  }

  package static let flagNames: [String: UInt32] = [
    "kAudioFormatFlagIsFloat": 0x1, "kAudioFormatFlagIsBigEndian": 0x2,
    "kAudioFormatFlagIsSignedInteger": 0x4, "kAudioFormatFlagIsPacked": 0x8,
    "kAudioFormatFlagIsAlignedHigh": 0x10, "kAudioFormatFlagIsNonInterleaved": 0x20,
    "kAudioFormatFlagIsNonMixable": 0x40, "kAudioFormatFlagsAreAllClear": 0x8000_0000,
    "kAudioFormatFlagsNativeEndian": 0, "kAudioFormatFlagsNativeFloatPacked": 0x9,
    "kAudioFormatFlagsCanonical": 0xC, "kAudioFormatFlagsAudioUnitCanonical": 0xC2C,
  ]

  private mutating func flags(_ json: JSONValue?) -> StreamFormat.Flags? {
    guard let json else { return [] }
    if let number = json.integer, let word = UInt32(exactly: number) {
      return StreamFormat.Flags(rawValue: word)
    }
    let parts = json.kind == .array ? Array(json.elements) : [json]
    var word: UInt32 = 0
    for part in parts {
      if let text = part.string, let bits = Self.flagNames[text] {
        word |= bits
      } else if let number = part.integer, let bits = UInt32(exactly: number) {
        word |= bits
      } else if part.kind != .invalid {
        let guess = part.string.flatMap { didYouMean($0, among: Self.flagNames.keys.sorted()) }
        report(
          NameRules.formatField.diagnostic(
            "this is no format flag", at: part.range, pointer: part.pointer.description,
            help: [guess].compactMap(\.self) + [
              "a number, or names such as \"kAudioFormatFlagIsFloat\""
            ],
            fixes: part.string.map {
              part.correction(of: $0, among: Self.flagNames.keys.sorted())
            } ?? []))
        return nil
      } else {
        return nil
      }
    }
    return StreamFormat.Flags(rawValue: word)
  }
}

extension Rule {
  /// A contradiction between fields, under the rule that the graph uses for it.
  fileprivate func inconsistent(
    _ message: String, at json: JSONValue, help: [String]
  ) -> Diagnostic {
    UnitRules.formatConsistent.diagnostic(
      .init(message),
      status: .formatNotSupported,
      at: json.markRange,
      pointer: json.pointer.description,
      help: help)
  }
}
