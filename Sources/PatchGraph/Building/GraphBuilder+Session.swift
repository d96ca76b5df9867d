import AudioGraphs
import AudioTypes
import AudioUnits
import Diagnostics
import FileAccess
import PatchSyntax
import RenderCallbacks
import RenderCore
import RenderHost
import RenderTaps

extension GraphBuilder {
  // MARK: The session

  mutating func checkSession() {
    checkBufferDuration()
    checkDevices()
    checkLimits()
    guard let written = document.session?.value.category else { return }
    let category = written.value
    guard request.isDevice, hasDeviceUnit else { return }
    for (wants, permits, side, better) in [
      (request.wantsInput, category.permitsInput, "the microphone side", "playAndRecord"),
      (
        request.wantsOutput && !request.wantsInput || request.wantsOutput && isOutputFed,
        category.permitsOutput, "the loudspeaker side",
        category.permitsInput ? "playAndRecord" : "playback"
      ),
    ] where wants && !permits {
      report(
        NameRules.categoryPermits.diagnostic(
          .init(
            "the category \(quoted(category.rawValue)) does not permit \(side) of an I/O unit, "
              + "which is on"), at: written.range, pointer: written.pointer,
          help: ["use the category \"\(better)\", or turn that side off"],
          fixes: [
            .init(
              "use the category \(quoted(better))",
              edits: [.init(written.range, "\"\(better)\"")], isSafe: false)
          ]))
    }
  }

  /// Whether the patch has an I/O unit. With a misspelt component there is none, and no sides are
  /// checked.
  private var hasDeviceUnit: Bool {
    document.nodes.contains { node in
      ComponentResolver.unit(node.value.component?.value)?.description.property(.enableIO) != nil
    }
  }

  /// Reports buffer durations below 1 ms and above 0.5 s, which are most likely meant in
  /// milliseconds.
  mutating func checkBufferDuration() {
    guard let duration = document.session?.value.preferredIOBufferDuration else { return }
    let seconds = duration.value
    guard seconds > 0.5 || seconds < 0.001 else { return }
    let text = Quantity.text(seconds)
    let meant = Quantity.text(seconds / 1000)
    report(
      NameRules.bufferDuration.diagnostic(
        seconds < 0.001
          ? "a slice of \(text) s is shorter than a millisecond: no device grants it"
          : "a slice of \(text) s is longer than any device grants: \(meant) s was meant?",
        at: duration.range, pointer: duration.pointer,
        help: [
          "durations are in seconds, and devices grant 256 to 4096 frames: 0.006 to 0.09 s"
        ],
        fixes: seconds > 0.5
          ? [
            .init(
              "write \(meant), which is \(text) ms", edits: [.init(duration.range, meant)],
              isSafe: false)
          ] : []))
  }

  /// Whether a connection leads to the loudspeaker.
  private var isOutputFed: Bool {
    let outputs = Set(
      document.nodes.filter { node in
        !node.value.endsSubgraph
          && ComponentResolver.unit(node.value.component?.value)?.description.isOutput == true
      }.map(\.name))
    return document.connections.contains { connection in
      guard let to = connection.to?.value, (to.bus ?? 0) == 0 else { return false }
      return outputs.contains(to.node)
    }
  }
}
