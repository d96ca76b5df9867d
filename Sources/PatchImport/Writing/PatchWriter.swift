import AudioTypes
public import Diagnostics
import Glibc
import PatchSyntax

/// Writes a chain of filters as a patch.
///
/// Filters that all channels share, and that an NBandEQ has, become its bands. The other linear
/// stages become impulse responses from each channel to each, in a sound file beside the patch that
/// a convolution uses.
public struct PatchWriter {
  public struct Options: Sendable {
    /// The path of the sound file to filter; `nil` for the input of the device.
    public var input: String?
    /// The folder of the imported file, relative to the patch. It is put in front of relative
    /// paths.
    public var folder = ""
    /// The name of the file with responses, beside the patch; `nil` where none may be written.
    public var responseName: String?
    /// The name of what was imported, for the patch's comment.
    public var origin = ""

    public init() {}
  }

  public struct Written: Sendable {
    /// The text of the patch; `nil` where nothing of the chain can be written.
    public var text: String?
    /// The content of the sound file that the patch names; `nil` for none.
    public var response: [UInt8]?
    public var diagnostics: [Diagnostic]
  }

  private let options: Options
  private let chain: FilterChain
  /// The number of channels between the first and the last matrix mixer of the patch.
  private let width: Int
  private var findings = Findings(limit: 100)
  private var sections: [FilterSection] = []
  private var gain = 0.0
  /// Linear stages that cannot be bands.
  private var others: [FilterChain.Stage] = []
  private var files: [FilterChain.ResponseFile] = []
  /// The levels of the first matrix mixer, by input channel and output channel; `nil` where each
  /// channel goes to itself.
  private var routing: [[Double]]?

  public static func write(_ chain: FilterChain, _ options: Options) -> Written {
    var writer = PatchWriter(options: options, chain: chain)
    let text = writer.patch()
    return Written(
      text: text.map { $0.text }, response: text?.response, diagnostics: writer.findings.all)
  }

  private init(options: Options, chain: FilterChain) {
    self.options = options
    self.chain = chain
    width = chain.maximumChannelCount
  }

  private mutating func report(
    _ rule: Rule, _ message: Diagnostic.Message, at range: SourceRange, help: String? = nil
  ) {
    findings.append(rule.diagnostic(message, at: range, help: help.map { [$0] } ?? []))
  }

  // MARK: Stages

  /// The greatest number of bands of an NBandEQ.
  static let maximumBands = 64

  private mutating func patch() -> (text: String, response: [UInt8]?)? {
    for stage in chain.stages { take(stage) }
    if chain.channels.count < width { takeRouting() }
    var response: [UInt8]?
    if !others.isEmpty {
      response = linearResponse()
      if response == nil, sections.isEmpty, files.isEmpty, gain == 0 { return nil }
    }
    return (text(hasResponse: response != nil), response)
  }

  private mutating func take(_ stage: FilterChain.Stage) {
    switch stage.kind {
    case .section(let section) where stage.channels == nil && Self.isBand(section):
      // A gain of 0 dB has no effect.
      if section.shape.hasGain, section.gain == 0 { return }
      sections.append(section)
    case .gain(let decibels, false) where stage.channels == nil && (-90...20 ~= gain + decibels):
      gain += decibels
    case .section, .gain, .mute, .delay, .mix, .recursive, .taps, .curve: others.append(stage)
    case .convolution(let file):
      guard stage.channels == nil, file.format == nil, file.channel == nil else {
        report(
          ImportRules.unsupported,
          "the response '\(file.path)' is left out: it is for one channel, or without a header",
          at: stage.range,
          help: "a 'convolution' callback of a patch takes a sound file with its channels")
        return
      }
      files.append(file)
    case .clip:
      report(
        ImportRules.unsupported, "a limiter that clips has no equivalent here, and is left out",
        at: stage.range, help: "\"limits\": { \"outputPeak\": \"-1 dB\" } keeps below a level")
    case .clamp:
      report(
        ImportRules.unsupported, "a clamp has no equivalent here, and is left out", at: stage.range)
    case .processor(let name, _):
      report(
        ImportRules.unsupported,
        "the \(Diagnostic.Message(name)) has no equivalent here, and is left out",
        at: stage.range)
    case .spatializer:
      report(
        ImportRules.unsupported, "a spatializer has no equivalent here, and is left out",
        at: stage.range,
        help: "a 3DMixer with \"spatializationAlgorithm\": \"HRTF\" places sources in space")
    }
  }

  /// Whether a band of an NBandEQ can have the section's values.
  static func isBand(_ section: FilterSection) -> Bool {
    bandType(section) != nil && section.frequency >= 20 && (-96...24).contains(section.gain)
      && (0.05...1000).contains(section.q)
  }

  /// The type of the band; `nil` where an NBandEQ has none for the shape.
  static func bandType(_ section: FilterSection) -> String? {
    let isPlain = abs(section.q - FilterSection.butterworth) < 1e-6
    switch section.shape {
    case .peaking: return "parametric"
    case .lowpass: return isPlain ? "lowPass" : "resonantLowPass"
    case .highpass: return isPlain ? "highPass" : "resonantHighPass"
    case .bandpass: return "bandPass"
    case .notch: return "bandStop"
    case .lowshelf: return isPlain ? "lowShelf" : "resonantLowShelf"
    case .highshelf: return isPlain ? "highShelf" : "resonantHighShelf"
    default: return nil
    }
  }

  /// The bandwidth in octaves of an analogue filter with the given Q.
  static func octaves(q: Double) -> Double { 2 * asinh(1 / (2 * q)) / log(2.0) }

  /// The sound file of the other linear stages; `nil` where none is needed, and where none can be
  /// written, which has been reported.
  private mutating func linearResponse() -> [UInt8]? {
    let places = others.map(\.range)
    guard options.responseName != nil else {
      for range in places {
        report(
          ImportRules.unsupported,
          "no band of an NBandEQ does this, and it is left out: it takes a file beside the patch",
          at: range, help: "'--output FILE' writes the patch, and that file beside it")
      }
      return nil
    }
    guard width <= Self.maximumResponseChannels else {
      for range in places {
        report(
          ImportRules.unsupported,
          "this is left out: responses are written for up to \(Self.maximumResponseChannels) channels",
          at: range)
      }
      return nil
    }
    let response = ChainResponse(
      of: others.map(widened), channelCount: width, sampleRate: chain.sampleRate)
    return response.isIdentity ? nil : response.file(sampleRate: chain.sampleRate)
  }

  /// The greatest number of channels for which responses from each to each are written.
  private static let maximumResponseChannels = 8

  // MARK: Numbers of channels

  /// Takes the first of the other stages as the first matrix mixer, if it is a mix to all `width`
  /// channels with factors from 0 to 1.
  private mutating func takeRouting() {
    guard let first = others.first, case .mix(let rows) = first.kind, rows.count == width,
      rows.joined().allSatisfy({ (0...1).contains($0) })
    else { return }
    others.removeFirst()
    routing = chain.channels.indices.map { input in rows.map { $0[input] } }
  }

  /// A mix padded to `width` output channels, the added ones silent.
  private func widened(_ stage: FilterChain.Stage) -> FilterChain.Stage {
    guard case .mix(let rows) = stage.kind else { return stage }
    var stage = stage
    stage.kind = .mix(rows + Array(repeating: [], count: width - rows.count))
    return stage
  }

  /// A matrix mixer between two stream formats.
  private func matrix(
    _ levels: [[Double]], from input: String, to output: String
  ) -> String {
    let rows = levels.map { row in "[\(row.map(Quantity.text).joined(separator: ", "))]" }
    return """
      { "component": "MatrixMixer", "inputCount": 1, \
      "properties": { "matrixLevels": [\(rows.joined(separator: ", "))] }, \
      "inputs": { "0": { "streamFormat": "\(input)" } }, \
      "outputs": { "0": { "streamFormat": "\(output)" } } }
      """
  }

  private static func identity(_ rows: Int, _ columns: Int) -> [[Double]] {
    (0..<rows).map { row in (0..<columns).map { $0 == row ? 1 : 0 } }
  }

  // MARK: Text

  private func quoted(_ text: String) -> String { JSONText.string(text).compact }

  private func decibels(_ value: Double) -> String { "\"\(Quantity.text(value)) dB\"" }

  private func text(hasResponse: Bool) -> String {
    var callbacks: [String] = []
    var nodes: [String] = []
    var connections: [String] = []
    var last = options.input == nil ? "io:1" : "source"
    let (inputCount, outputCount) = (chain.channels.count, chain.outputCount)
    if inputCount < width {
      let levels = routing ?? Self.identity(inputCount, width)
      nodes.append("\"spread\": \(matrix(levels, from: "in", to: "wide"))")
      connections.append("{ \"from\": \"\(last)\", \"to\": \"spread\" }")
      last = "spread"
    }
    if let input = options.input {
      callbacks.append("\"source\": { \"kind\": \"file\", \"path\": \(quoted(input)) }")
    }
    func convolve(_ name: String, _ path: String, gain: Double) {
      let gain = gain == 0 ? "" : ", \"gain\": \(decibels(gain))"
      let place = "\"path\": \(quoted(path)), \"from\": \"\(last)\""
      callbacks.append("\"\(name)\": { \"kind\": \"convolution\", \(place)\(gain) }")
      last = name
    }
    if hasResponse, let name = options.responseName { convolve("response", name, gain: 0) }
    for (index, file) in files.enumerated() {
      let path =
        options.folder.isEmpty || file.path.hasPrefix("/")
        ? file.path : options.folder + "/" + file.path
      convolve(index == 0 ? "room" : "room\(index + 1)", path, gain: file.gain)
    }
    let isEqualized = !sections.isEmpty || gain != 0
    let count =
      isEqualized ? max(1, (sections.count + Self.maximumBands - 1) / Self.maximumBands) : 0
    for index in 0..<count {
      let name = index == 0 ? "eq" : "eq\(index + 1)"
      let bands = sections.dropFirst(index * Self.maximumBands).prefix(Self.maximumBands)
      nodes.append("\"\(name)\": \(equalizer(Array(bands), gain: index == 0 ? gain : 0))")
      connections.append("{ \"from\": \"\(last)\", \"to\": \"\(name)\" }")
      last = name
    }
    if outputCount < width {
      let levels = Self.identity(width, outputCount)
      nodes.append("\"gather\": \(matrix(levels, from: "wide", to: "out"))")
      connections.append("{ \"from\": \"\(last)\", \"to\": \"gather\" }")
      last = "gather"
    }
    connections.append("{ \"from\": \"\(last)\", \"to\": \"io:0\" }")
    var input =
      options.input == nil
      ? ", \"inputs\": { \"1\": { \"properties\": { \"enableIO\": true } } }" : ""
    if options.input == nil, inputCount < width {
      input += ", \"outputs\": { \"1\": { \"streamFormat\": \"in\" } }"
    }
    nodes.append("\"io\": { \"component\": \"remoteIO\"\(input) }")
    let category = options.input == nil ? "playAndRecord" : "playback"
    var members = ["\"schemaVersion\": 1"]
    if let title = chain.title, !title.isEmpty { members.append("\"title\": \(quoted(title))") }
    if !options.origin.isEmpty { members.append("\"comment\": \(quoted(options.origin))") }
    members.append(
      "\"session\": { \"category\": \"\(category)\", \"preferredSampleRate\": \(Quantity.text(chain.sampleRate)) }"
    )
    func format(_ channels: Int) -> String {
      "{ \"sample\": \"float32\", \"channels\": \(channels), \"sampleRate\": \"session\" }"
    }
    var formats: [String] = []
    if inputCount < width { formats.append("\"in\": \(format(inputCount))") }
    if outputCount < width { formats.append("\"out\": \(format(outputCount))") }
    if formats.isEmpty {
      members.append("\"streamFormat\": \(format(width))")
    } else {
      formats.append("\"wide\": \(format(width))")
      members.append("\"streamFormats\": {\n\(formats.joined(separator: ",\n"))\n}")
      members.append("\"streamFormat\": \"wide\"")
    }
    // A device without an input may ask for slices of this size.
    if options.input != nil { members.append("\"maximumFramesPerSlice\": 4096") }
    if !callbacks.isEmpty {
      members.append("\"callbacks\": {\n\(callbacks.joined(separator: ",\n"))\n}")
    }
    members.append("\"nodes\": {\n\(nodes.joined(separator: ",\n"))\n}")
    members.append("\"connections\": [\n\(connections.joined(separator: ",\n"))\n]")
    return PatchFormatter.formatted("{\n\(members.joined(separator: ",\n"))\n}\n")
  }

  private func equalizer(_ bands: [FilterSection], gain: Double) -> String {
    var members = ["\"component\": \"NBandEQ\""]
    if gain != 0 { members.append("\"parameters\": { \"globalGain\": \(decibels(gain)) }") }
    if bands.isEmpty {
      members.append("\"properties\": { \"numberOfBands\": 1 }")
    } else {
      let lines = bands.map { band in
        let type = Self.bandType(band) ?? "parametric"
        var parts = ["\"type\": \"\(type)\"", "\"frequency\": \(Quantity.text(band.frequency))"]
        if band.shape.hasGain { parts.append("\"gain\": \(decibels(band.gain))") }
        if !["lowPass", "highPass", "lowShelf", "highShelf"].contains(type) {
          parts.append("\"bandwidth\": \(Quantity.text(Self.octaves(q: band.q)))")
        }
        return "{ \(parts.joined(separator: ", ")) }"
      }
      members.append("\"bands\": [\n\(lines.joined(separator: ",\n"))\n]")
    }
    return "{ \(members.joined(separator: ", ")) }"
  }
}
