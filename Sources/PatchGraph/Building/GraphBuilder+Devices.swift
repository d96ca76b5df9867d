import AudioTypes
import AudioUnits
import Diagnostics
import PatchSyntax
import RenderHost

extension DeviceSelector {
  /// The selector of a device; `nil` where all patterns are empty, which `checkDevices()` reports.
  init?(_ written: Located<PatchDocument.DeviceChoice>) {
    let patterns = written.value.patterns.filter { !$0.pattern.value.isEmpty }
    guard !patterns.isEmpty else { return nil }
    self.init(
      patterns: Dictionary(
        patterns.map { ($0.property.value, $0.pattern.value) }, uniquingKeysWith: { $1 }))
  }
}

extension GraphBuilder {
  /// Checks that devices are named on I/O units, for a side that is on, with valid patterns.
  mutating func checkDevices() {
    for index in document.nodes.indices {
      let node = document.nodes[index]
      guard let device = node.value.device else { continue }
      for choice in [device.value.sink, device.value.source] {
        if let choice { check(choice) }
      }
      guard let unit = ComponentResolver.unit(node.value.component?.value) else { continue }
      guard !node.value.endsSubgraph, unit.description.property(.enableIO) != nil else {
        report(
          NameRules.deviceUnit.diagnostic(
            .init("\(quoted(node.name)) is no I/O unit: it plays on no sink and hears no source"),
            at: device.range, pointer: device.pointer,
            help: [
              node.value.endsSubgraph
                ? "name the device on the I/O unit of the patch that the sub-graph is in"
                : "name the device on the remoteIO or the voiceProcessingIO"
            ]))
        continue
      }
      checkSides(node.name, device.value)
    }
  }

  private mutating func check(_ choice: Located<PatchDocument.DeviceChoice>) {
    // A property whose pattern could not be read has been reported.
    if choice.value.patterns.isEmpty,
      choice.json.members.allSatisfy({ $0.key.string == "comment" })
    {
      report(
        NameRules.devicePattern.diagnostic(
          "nothing is said of the device", at: choice.range, pointer: choice.pointer,
          help: ["write a name, or { \"description\": \"*USB*\" }"]))
    }
    for (property, pattern) in choice.value.patterns {
      if pattern.value.isEmpty {
        report(
          NameRules.devicePattern.diagnostic(
            "an empty pattern is like no device", at: pattern.range, pointer: pattern.pointer,
            help: ["write a name; '*' stands for any characters, '?' for one"]))
      }
      guard !DeviceSelector.isProperty(property.value) else { continue }
      let words = DeviceSelector.words
      report(
        NameRules.devicePattern.diagnostic(
          .init("devices have no property \(quoted(property.value))"), at: property.range,
          pointer: pattern.pointer,
          help: [didYouMean(property.value, among: words)].compactMap(\.self)
            + [
              "the properties are: " + words.joined(separator: ", ")
                + ", and what 'patchrun devices --json' shows, such as \"device.bus_path\""
            ]))
    }
  }

  private mutating func checkSides(_ node: String, _ device: PatchDocument.Device) {
    // A side that is connected but off breaks another rule, and is not reported here.
    let isPlaying = document.connections.contains {
      $0.to?.value.node == node && ($0.to?.value.bus ?? 0) == 0
    }
    let isHeard =
      document.connections.contains { $0.from?.value.node == node }
      || document.callbacks.contains { CallbackSource.address($0.value)?.node == node }
      || document.taps.contains { $0.value.at?.value.node == node && $0.value.at?.value.bus == 1 }
    for (choice, isFine, side, advice) in [
      (
        device.sink, request.wantsOutput || isPlaying, "loudspeaker",
        "leave enableIO of outputs/0 on"
      ),
      (
        device.source, request.wantsInput || isHeard, "microphone", "turn enableIO of inputs/1 on"
      ),
    ] {
      guard let choice, !isFine else { continue }
      report(
        NameRules.deviceSide.diagnostic(
          .init("the \(side) side is off, so that naming its device has no use"),
          at: choice.range, pointer: choice.pointer, help: ["\(advice), or remove this"]))
    }
  }
}
