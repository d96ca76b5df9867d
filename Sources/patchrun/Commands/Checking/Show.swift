import ArgumentParser
import AudioGraphs
import AudioTypes
import Diagnostics
import GraphDrawings
import PatchGraph
import PatchSyntax

struct Show: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Prints the initialized graph of a patch as CAShow does, or draws it.",
    discussion: """
      It shows the nodes, the connections with their stream formats, the callbacks, and the origin \
      of every stream format; all output formats but text also mark each conversion. No sound \
      server is needed: the device is assumed to grant what the patch prefers, or what --hardware \
      says.

      FORMATS:
        text     what CAShow prints
        json     the same for programs; its "document" is the expanded patch
        patch    the expanded patch: without constants and repetition
        dot      for Graphviz
        mermaid  a flowchart, for a block of Markdown
        svg      a picture, light or dark by the setting of the viewer

      EXAMPLES:
        patchrun show mix.json
        patchrun show --hardware rate=48000 mix.json
        patchrun show mix.json --format svg -o mix.svg
        patchrun show mix.json --format patch -o plain.json
        patchrun show mix.json --format dot | dot -Tpng -o mix.png
        patchrun bench mix.json --json | patchrun show mix.json --format svg --heat -

      EXIT STATUS:
        0  it has been printed
        1  the patch is wrong
        2  wrong usage
        3  a file cannot be read or written
      """)

  /// The formats of the output.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text, json, patch, dot, mermaid, svg
  }

  @Argument(help: .patch, completion: .file(extensions: ["json", "jsonc"]))
  var file: String

  @Option(help: "The format to print.")
  var format = Format.text

  @Option(name: .output, help: .replacedFile, completion: .file())
  var output: String?

  @Option(
    help: ArgumentHelp(
      "Colour the boxes of an SVG by their share of the render time, read from the output "
        + "of 'patchrun bench --json' in this file; '-' is standard input.",
      valueName: "path"),
    completion: .file(extensions: ["json"]))
  var heat: String?

  @OptionGroup var overrides: OverrideOptions
  @OptionGroup var policy: PolicyOptions
  @OptionGroup var hardware: HardwareOptions
  @OptionGroup var appearance: AppearanceOptions

  func validate() throws {
    if heat != nil && format != .svg {
      throw ValidationError("'--heat' colours an SVG: --format svg")
    }
    if heat == "-" && file == "-" {
      throw ValidationError("only one of the patch and '--heat' is standard input")
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    let report = try heat.map { path throws(CommandFailure) in
      try BenchReport(readFrom: path)
    }
    let file = try policy.patchFile(self.file)
    var reading = file.read(overrides)
    let device = PatchDevice.assumed(hardware.assumption)
    let patch = PatchBuilder.build(reading, in: policy.surroundings(of: file), device: device)
    appearance.report(patch)
    guard !patch.hasErrors else { return ExitStatus.wrongPatch }
    try protectInputs(of: patch)
    let text =
      switch format {
      case .text: printableLines(try text(of: patch, &reading, file, device))
      case .patch:
        try expanded(patch, file, device).map { PatchFormatter.formatted($0.document) } ?? ""
      case .json, .dot, .mermaid, .svg: try drawing(of: patch, file, device, report)
      }
    if let output, output != "-" {
      try FileOutput.write(text, to: output)
    } else {
      try self.output(text)
    }
    return ExitStatus.success
  }

  /// Throws if the output is one of the files that the patch is read from.
  private func protectInputs(of patch: BuiltPatch) throws(CommandFailure) {
    guard let output, output != "-" else { return }
    let read = patch.inputFiles + (file == "-" ? [] : [file])
    guard let same = read.first(where: { OneFile.same($0, output) }) else { return }
    throw CommandFailure(
      ExitStatus.wrongUsage, "\(quoted(output)) would be overwritten: the patch is made of it",
      help: same == output ? ["name another file"] : ["it is the same file as \(quoted(same))"])
  }

  /// The drawing of the initialized graph, in the requested format.
  private func drawing(
    of patch: BuiltPatch, _ file: PatchFile, _ device: PatchDevice, _ report: BenchReport?
  ) throws(CommandFailure) -> String {
    guard let graph = patch.graph, let document = patch.document else { return "" }
    var drawing = GraphDrawing(graph: graph, document: document, in: policy.surroundings(of: file))
    if let report {
      drawing = drawing.heated(
        by: try report.heat(of: drawing, document, from: self.file, appearance))
    }
    switch format {
    case .text, .patch, .json:
      // A patch that cannot be written out can still be drawn.
      return drawing.json(expanded: (try? expanded(patch, file, device)) ?? nil)
    case .dot: return drawing.dot()
    case .mermaid: return drawing.mermaid()
    case .svg: return drawing.svg()
    }
  }

  /// The expanded patch; `nil` if it has errors.
  private func expanded(
    _ patch: BuiltPatch, _ file: PatchFile, _ device: PatchDevice
  ) throws(CommandFailure) -> JSONText? {
    do throws(ExpandedPatch.Refusal) {
      return try ExpandedPatch(patch, in: policy.surroundings(of: file), device: device)?.document
    } catch {
      throw CommandFailure(ExitStatus.wrongPatch, error.message, help: [error.help])
    }
  }

  /// The output of `CAShow` for the initialized graph, followed by the taps.
  private func text(
    of patch: BuiltPatch, _ reading: inout PatchReader.Result, _ file: PatchFile,
    _ device: PatchDevice
  ) throws(CommandFailure) -> String {
    // Initializing starts the taps, and a recording replaces an existing file. So the graph that is
    // shown has no taps.
    reading.document = patch.document
    let taps = reading.document?.taps ?? []
    reading.document?.taps = []
    let shown =
      taps.isEmpty
      ? patch : PatchBuilder.build(reading, in: policy.surroundings(of: file), device: device)
    guard let graph = shown.graph, let document = shown.document else { return "" }
    do throws(Violation) { try graph.initialize() } catch {
      throw CommandFailure(ExitStatus.unavailable, error.message, help: error.help)
    }
    let feeds = Self.callbacks(of: document)
    let text = graph.show(title: patch.title ?? "") { node, input, behind in
      guard let name = try? graph.nodeInfo(node).name else { return nil }
      let chain = feeds[PatchDocument.Address(node: name, bus: input)] ?? []
      return chain.indices.contains(behind) ? chain[behind] : nil
    }
    let limit = graph.outputPeakLimit.map {
      "  the output is never above \(OutputLimits.text(ofPeak: $0))\n"
    }
    let drawing = GraphDrawing(
      graph: graph, document: document, in: policy.surroundings(of: file))
    let knobs = drawing.subgraphs.flatMap { name in
      (drawing.knobs[name] ?? []).map { "    \(name): \($0.text)\n" }
    }
    return text + (limit ?? "") + (knobs.isEmpty ? "" : "  Knobs:\n" + knobs.joined())
      + (taps.isEmpty ? "" : Self.text(of: taps))
  }

  /// The callbacks of each input: the one that feeds it, the one that this callback pulls, and so
  /// on.
  static func callbacks(of document: PatchDocument) -> [PatchDocument.Address: [String]] {
    chains(of: document).mapValues { $0.map { "\($0.kind), \($0.name)" } }
  }

  static func chains(
    of document: PatchDocument
  ) -> [PatchDocument.Address: [(kind: String, name: String)]] {
    var feeds: [PatchDocument.Address: [(kind: String, name: String)]] = [:]
    let callbacks = Dictionary(
      document.callbacks.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    for connection in document.connections {
      guard let from = connection.from?.value, let to = connection.to?.value else { continue }
      var chain: [(kind: String, name: String)] = []
      var next: String? = from.node
      while let name = next, chain.count <= document.callbacks.count,
        let callback = callbacks[name]
      {
        chain.append((callback.kind?.value ?? "callback", name))
        next =
          callback.pulled?.value.node
          ?? callback.fields.first { $0.name == "from" }?.value.string
      }
      if !chain.isEmpty { feeds[.init(node: to.node, bus: to.bus ?? 0)] = chain }
    }
    return feeds
  }

  static func text(of taps: [PatchDocument.Member<PatchDocument.Tap>]) -> String {
    var text = "  Taps:\n"
    for tap in taps {
      let path = tap.value.fields.first { $0.name == "path" }?.value.string
      var line = "    {\(tap.value.kind?.value ?? "tap"), \(tap.name)} at "
      line += (tap.value.at?.value.description ?? "?") + (path.map { "  [\($0)]" } ?? "")
      text += printable(line) + "\n"
    }
    return text
  }
}
