public import Diagnostics
import Glibc
public import PatchSyntax

/// The filters of a patch that is a chain of NBandEQs from its source to its output.
public struct ExportedChain {
  /// A band of the patch.
  struct Band {
    var section: FilterSection
    var json: JSONValue
  }

  /// The sum of the equalizers' gains, in decibels.
  public private(set) var gain = 0.0
  private(set) var bands: [Band] = []
  public private(set) var diagnostics: [Diagnostic] = []

  /// Reads the chain. Parts of the patch that cannot be filters of a list are reported in
  /// ``diagnostics``.
  ///
  /// - Parameter document: A patch without errors.
  public init(of document: PatchDocument) {
    var nodes: [String: PatchDocument.Member<PatchDocument.Node>] = [:]
    for node in document.nodes { nodes[node.name] = node }
    let outputs = document.nodes.filter { Self.isOutput($0.value) }
    guard let output = outputs.first else { return }
    var seen: Set<String> = [output.name]
    var path: [PatchDocument.Member<PatchDocument.Node>] = []
    var place = output.name
    while let connection = document.connections.first(where: {
      $0.to?.value.node == place && ($0.to?.value.bus ?? 0) == 0
    }), let from = connection.from?.value.node {
      guard let node = nodes[from] else {
        if let callback = document.callbacks.first(where: { $0.name == from }),
          callback.value.fields.contains(where: { $0.name == "from" })
        {
          refuse(
            callback.key.range,
            "the callback \(quoted(from)) is in the way: a list has filters only")
        }
        break
      }
      guard seen.insert(from).inserted, !Self.isOutput(node.value) else { break }
      path.append(node)
      place = from
    }
    for node in document.nodes where !seen.contains(node.name) {
      refuse(node.key.range, "the node \(quoted(node.name)) is beside the chain of filters")
    }
    for node in path.reversed() { add(node) }
    if path.isEmpty, diagnostics.isEmpty {
      refuse(output.key.range, "nothing is between the source and \(quoted(output.name))")
    }
    if let step = document.timeline.first {
      refuse(step.json.markRange, "a timeline has no line in a list of filters")
    }
  }

  private mutating func refuse(
    _ range: SourceRange, _ message: Diagnostic.Message, help: String? = nil
  ) {
    diagnostics.append(
      ImportRules.exportedChain.diagnostic(message, at: range, help: help.map { [$0] } ?? []))
  }

  private static func isOutput(_ node: PatchDocument.Node) -> Bool {
    let names = ["remoteio", "genericoutput", "voiceprocessingio"]
    switch node.component?.value {
    case .name(let name): return names.contains(name.lowercased())
    case .description(let description): return description.type?.string == "auou"
    case nil: return false
    }
  }

  private static func isEqualizer(_ node: PatchDocument.Node) -> Bool {
    switch node.component?.value {
    case .name(let name): name.lowercased() == "nbandeq"
    case .description(let description): description.subtype?.string == "nbeq"
    case nil: false
    }
  }

  private mutating func add(_ node: PatchDocument.Member<PatchDocument.Node>) {
    guard Self.isEqualizer(node.value) else {
      refuse(
        node.key.range, "the node \(quoted(node.name)) is in the way: it is no NBandEQ",
        help: "a list has filters of NBandEQs only")
      return
    }
    for property in node.value.properties where property.name == "bypassEffect" {
      if property.value.bool == true { return }
    }
    for property in node.value.properties where property.name == "design" {
      if property.value.string == "matched" || property.value.integer == 1 {
        refuse(
          property.value.range, "matched filters have no equivalent in a list of filters",
          help: "those programs have the cookbook's filters: leave \"design\" out, and listen")
      }
    }
    for parameter in node.value.parameters where parameter.name == "globalGain" {
      gain += parameter.value.number(in: .level) ?? 0
    }
    for band in node.value.json["bands"]?.elements.map(\.self) ?? [] { add(band: band) }
  }

  private static let types = [
    "parametric", "lowPass", "highPass", "resonantLowPass", "resonantHighPass", "bandPass",
    "bandStop", "lowShelf", "highShelf", "resonantLowShelf", "resonantHighShelf",
  ]

  private mutating func add(band: JSONValue) {
    if band["bypass"]?.bool == true || (band["bypass"]?.number ?? 0) != 0 { return }
    let type =
      band["type"]?.string
      ?? band["type"]?.integer.flatMap { Self.types.indices.contains($0) ? Self.types[$0] : nil }
      ?? Self.types[0]
    let shapes: [String: FilterSection.Shape] = [
      "parametric": .peaking, "lowPass": .lowpass, "resonantLowPass": .lowpass,
      "highPass": .highpass, "resonantHighPass": .highpass, "bandPass": .bandpass,
      "bandStop": .notch, "lowShelf": .lowshelf, "resonantLowShelf": .lowshelf,
      "highShelf": .highshelf, "resonantHighShelf": .highshelf,
    ]
    guard let shape = shapes[type] else { return }
    let octaves = band["bandwidth"]?.number ?? 0.5
    let isPlain = ["lowPass", "highPass", "lowShelf", "highShelf"].contains(type)
    bands.append(
      Band(
        section: FilterSection(
          shape, band["frequency"]?.number ?? 1000,
          gain: shape.hasGain ? band["gain"]?.number(in: .level) ?? 0 : 0,
          q: isPlain
            ? FilterSection.butterworth : 1 / (2 * sinh(log(2.0) / 2 * max(octaves, 1e-6)))),
        json: band))
  }
}

extension ExportedChain {
  /// A program that can read the exported list.
  public enum Target: String, CaseIterable, Sendable {
    case autoEQ = "autoeq"
    case equalizerAPO = "equalizer-apo"
  }

  /// The list for a program. Adds a diagnostic for each band for which the program has no filter.
  public mutating func text(for target: Target) -> String {
    var lines: [String] = []
    if gain != 0 || target == .autoEQ { lines.append("Preamp: \(Self.number(gain)) dB") }
    for (index, band) in bands.enumerated() {
      let section = band.section
      let names: [FilterSection.Shape: String] =
        target == .autoEQ
        ? [.peaking: "PK", .lowshelf: "LSC", .highshelf: "HSC"]
        : [
          .peaking: "PK", .lowshelf: "LSC", .highshelf: "HSC", .lowpass: "LPQ", .highpass: "HPQ",
          .bandpass: "BP", .notch: "NO",
        ]
      guard let name = names[section.shape] else {
        refuse(
          band.json.markRange,
          "AutoEq's files have no \(Diagnostic.Message(section.shape.rawValue)) filter",
          help: "'--to equalizer-apo' has one")
        continue
      }
      let gain = section.shape.hasGain ? " Gain \(Self.number(section.gain)) dB" : ""
      lines.append(
        "Filter \(index + 1): ON \(name) Fc \(Self.number(section.frequency)) Hz\(gain) "
          + "Q \(Self.number(section.q))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A number with up to four decimals, but never exactly three: some readers take a point three
  /// digits before the end for a separator of thousands.
  static func number(_ value: Double) -> String {
    let text = Decimals.text(value, digits: 4)
    let decimals = text.split(separator: ".").dropFirst().first?.count ?? 0
    return decimals == 3 ? text + "0" : text
  }
}
