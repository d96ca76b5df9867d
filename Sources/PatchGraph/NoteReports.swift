import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import Glibc
import PatchSyntax

extension GraphBuilder {
  mutating func reportNotes(_ configurations: [NodeID: UnitConfiguration]) {
    for id in graph.nodes {
      guard let configuration = configurations[id], let info = try? graph.nodeInfo(id) else {
        continue
      }
      switch info.unit?.description.name {
      case "FormatConverter"?: noteConversion(id, info.name, configuration)
      case "MultichannelMixer"?:
        noteInputsOff(id, info.name, configuration)
        noteGains(id, configuration)
      default: break
      }
    }
  }

  private mutating func noteConversion(
    _ node: NodeID, _ name: String, _ configuration: UnitConfiguration
  ) {
    let input = configuration.inputs[0]
    let output = configuration.outputs[0].format
    guard input.isUsed else { return }
    let json = places.value(.init(node: node, .streamFormat(.output, 0)))
    report(
      PatchNotes.conversion.diagnostic(
        .init(
          input.format == output
            ? "\(quoted(name)) converts nothing: both sides have \(output.summary)"
            : "\(quoted(name)) converts \(input.format.summary) to \(output.summary)"),
        at: json.markRange, pointer: json.pointer.description))
  }

  /// A mixer of which every input that is fed is switched off puts out silence.
  private mutating func noteInputsOff(
    _ node: NodeID, _ name: String, _ configuration: UnitConfiguration
  ) {
    let enable = MultichannelMixer.Parameter.enable
    let fed = configuration.inputs.indices.filter { configuration.inputs[$0].isUsed }
    guard let first = fed.first,
      fed.allSatisfy({ configuration.parameter(enable, .input, $0) == 0 })
    else { return }
    let json = places.value(.init(node: node, .parameter(enable, .input, first)))
    report(
      PatchNotes.inputsOff.diagnostic(
        .init(
          "\(fed.count == 1 ? "the only input" : "every input") of \(quoted(name)) that is fed is "
            + "switched off: it puts out silence"),
        at: json.markRange, pointer: json.pointer.description,
        help: ["\"enable\": true switches it on; a ramp or a control may do so later"],
        fixes: json.pointer.tokens.last == "enable"
          ? [.init("switch it on", edits: [.init(json.range, "true")], isSafe: false)] : []))
  }

  private mutating func noteGains(_ node: NodeID, _ configuration: UnitConfiguration) {
    let volume = MultichannelMixer.Parameter.volume
    guard let master = configuration.parameter(volume, .output, 0), master != 1 else { return }
    for (index, input) in configuration.inputs.enumerated() where input.isUsed {
      guard let gain = configuration.parameter(volume, .input, index), gain != 1 else { continue }
      let product = Double(gain) * Double(master)
      let decibels = (200 * log10(abs(product))).rounded() / 10
      let shown = (product * 10_000).rounded() / 10_000
      let json = places.value(.init(node: node, .parameter(volume, .input, index)))
      let mix = places.value(.init(node: node, .parameter(volume, .output, 0)))
      report(
        PatchNotes.effectiveGain.diagnostic(
          .init(
            "the input is heard at \(gain) × \(master) = \(shown)"
              + (product == 0 ? "" : ", \(decibels) dB")),
          at: json.markRange, pointer: json.pointer.description,
          notes: json.range == mix.range
            ? [] : [.init("the volume of the mix", at: mix.markRange)]))
    }
  }
}
