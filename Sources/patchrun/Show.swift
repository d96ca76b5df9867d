import ArgumentParser
import AudioGraphs
import AudioTypes
import Diagnostics
import PatchGraph
import PatchSyntax

struct Show: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Prints the initialized graph of a patch, as CAShow does.",
    discussion: """
      Nodes, connections with the stream format that each settled on, callbacks, and where every \
      format came from. No sound server is needed: what the patch prefers is taken as granted, or \
      what --hardware says.

      EXAMPLES:
        patchrun show patches/mixer-host.json
        patchrun show --hardware rate=48000 mixer.json
      """)

  @Argument(
    help: ArgumentHelp("The patch, or '-' for standard input.", valueName: "file"),
    completion: .file(extensions: ["json", "jsonc"]))
  var file: String

  @OptionGroup var overrides: OverrideOptions
  @OptionGroup var hardware: HardwareOptions
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    let file = try PatchFile(self.file)
    var reading = file.read(overrides)
    let device = PatchDevice.assumed(hardware.assumption)
    let patch = PatchBuilder.build(reading, directory: file.directory, device: device)
    appearance.report(patch)
    guard !patch.hasErrors else { return ExitStatus.wrongPatch }
    // Initializing begins recordings, and a recording replaces the file that is there: the graph
    // that is shown has none.
    let taps = reading.document?.taps ?? []
    reading.document?.taps = []
    let shown =
      taps.isEmpty
      ? patch : PatchBuilder.build(reading, directory: file.directory, device: device)
    guard let graph = shown.graph, let document = reading.document else {
      return ExitStatus.wrongPatch
    }
    do throws(Violation) { try graph.initialize() } catch {
      throw CommandFailure(ExitStatus.worldRefused, error.message, help: error.help)
    }
    let feeds = Self.callbacks(of: document)
    try output(
      graph.show(title: patch.title ?? "") { node, input, behind in
        guard let name = try? graph.nodeInfo(node).name else { return nil }
        let chain = feeds[PatchDocument.Address(node: name, bus: input)] ?? []
        return chain.indices.contains(behind) ? chain[behind] : nil
      })
    if !taps.isEmpty { try output(Self.text(of: taps)) }
    return ExitStatus.success
  }

  /// What feeds each input element that a callback feeds: the callback, then the one that it pulls,
  /// and so on.
  static func callbacks(of document: PatchDocument) -> [PatchDocument.Address: [String]] {
    var feeds: [PatchDocument.Address: [String]] = [:]
    for connection in document.connections {
      guard let from = connection.from?.value, let to = connection.to?.value else { continue }
      var chain: [String] = []
      var next: String? = from.node
      while let name = next, chain.count <= document.callbacks.count,
        let callback = document.callbacks.first(where: { $0.name == name })?.value
      {
        chain.append("\(callback.kind?.value ?? "callback"), \(name)")
        next = callback.fields.first { $0.name == "from" }?.value.string
      }
      if !chain.isEmpty { feeds[.init(node: to.node, bus: to.bus ?? 0)] = chain }
    }
    return feeds
  }

  static func text(of taps: [PatchDocument.Member<PatchDocument.Tap>]) -> String {
    var text = "  Taps:\n"
    for tap in taps {
      let path = tap.value.fields.first { $0.name == "path" }?.value.string
      text += "    {\(tap.value.kind?.value ?? "tap"), \(tap.name)} at "
      text += (tap.value.at?.value.description ?? "?") + (path.map { "  [\($0)]" } ?? "") + "\n"
    }
    return text
  }
}
