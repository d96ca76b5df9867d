import Diagnostics
import PatchSyntax

/// Reads filter-chains of PipeWire: drop-in files with the module, or the module's arguments alone.
enum PipeWire {
  static func read(_ reading: inout ImportReading) throws(ImportRefused) -> FilterChain {
    let root = try SPAReader.read(&reading)
    let arguments = try arguments(in: root, &reading)
    guard let graph = arguments["filter.graph"], graph.members != nil else {
      throw reading.refuse(
        "there is no 'filter.graph'", at: arguments.range, pointer: arguments.pointer,
        help: "it stands in 'args' of libpipewire-module-filter-chain")
    }
    let channels = channels(of: arguments, reading.options.channels)
    var chain = FilterChain(
      title: arguments["node.description"]?.text, sampleRate: reading.options.sampleRate,
      channels: channels)
    var reader = try FilterGraph(graph, channelCount: channels.count, chain.sampleRate, &reading)
    try reader.addStages(to: &chain, &reading)
    return chain
  }

  private static func arguments(
    in root: ConfigValue, _ reading: inout ImportReading
  ) throws(ImportRefused) -> ConfigValue {
    if root["filter.graph"] != nil { return root }
    if let arguments = root["args"], arguments["filter.graph"] != nil { return arguments }
    let modules = (root["context.modules"]?.list ?? []).filter {
      $0["name"]?.text?.contains("filter-chain") == true
    }
    guard let first = modules.first, let arguments = first["args"] else {
      throw reading.refuse(
        "there is no module libpipewire-module-filter-chain with its 'args'", at: root.range)
    }
    for other in modules.dropFirst() {
      reading.report(
        ImportRules.unsupported, "only the first filter-chain of a file is imported",
        at: other.range, pointer: other.pointer, help: "put this one into a file of its own")
    }
    return arguments
  }

  /// The names in `audio.position`, or default names for `audio.channels` channels.
  private static func channels(of arguments: ConfigValue, _ standard: [String]) -> [String] {
    let places = [arguments, arguments["capture.props"], arguments["playback.props"]]
    for place in places {
      if let names = place?["audio.position"]?.list?.compactMap(\.text), !names.isEmpty,
        names.count <= 64
      {
        return names
      }
    }
    for place in places {
      if let count = place?["audio.channels"]?.integer, (1...64).contains(count) {
        return count == 1 ? ["MONO"] : count == 2 ? ["FL", "FR"] : (0..<count).map { "AUX\($0)" }
      }
    }
    return standard == ["L", "R"] ? ["FL", "FR"] : standard
  }
}
