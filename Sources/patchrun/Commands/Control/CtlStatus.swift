import ArgumentParser
import Control
import PatchSyntax

struct CtlStatus: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Prints the state of the running patch.",
    discussion: """
      It prints the state and the position, the grant of the sound server, the load, lost frames, \
      and the tag of the running document.

      EXAMPLES:
        patchrun ctl status
        patchrun ctl status --json

      EXIT STATUS:
        0  done
        \(CtlTarget.failures)
      """)

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup var target: CtlTarget
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    let text = try target.client().ask(ControlClient.Request(.get, "/status"))
    try output(json ? text : Self.text(try readAnswer(text)))
    return ExitStatus.success
  }

  static func text(_ status: JSONValue) -> String {
    let file = shown(status["file"])
    let title = status["title"].flatMap { $0.string == nil ? nil : shown($0) }
    var text = title.map { "\($0) (\(file))" } ?? file
    text += ": \(shown(status["state"])), \(clock(status["position"]?.number ?? 0))"
    if let duration = status["duration"]?.number { text += " of \(clock(duration))" }
    text += "\n" + grant(status["grant"]) + "\n"
    if let raised = StatusText.raised(status["raisedLatency"]) { text += raised + "\n" }
    let xruns = (status["underruns"]?.integer ?? 0) + (status["overruns"]?.integer ?? 0)
    text += "load \(percent(status["load"])), at most \(percent(status["peakLoad"])), "
    let threads = status["renderThreads"]?.integer ?? 1
    if threads > 1 { text += "on \(counted(threads, "thread")), " }
    text += counted(xruns, "xrun") + StatusText.causes(status["underrunCauses"]) + ", "
    text += "\(counted(status["failedSlices"]?.integer ?? 0, "failed slice")), "
    text += "\(counted(status["lostFrames"]?.integer ?? 0, "lost frame"))\n"
    if let limit = status["outputLimit"], let level = limit["level"]?.number {
      text += "output limited to \(fixed(level, 1)) dBFS"
      let seconds = limit["seconds"]?.number ?? 0
      if seconds > 0 { text += ", turned down for \(fixed(seconds, 1)) s" }
      let reduction = limit["reduction"]?.number ?? 0
      if reduction > 0 { text += ", by \(fixed(reduction, 1)) dB of late" }
      text += "\n"
    }
    let silenced = status["silencedSamples"]?.integer ?? 0
    if silenced > 0 {
      text += "\(counted(silenced, "sample")) that were no finite numbers became silence\n"
    }
    let pending = status["pendingStages"]?.integer ?? 0
    text += "document \(shown(status["tag"]))"
    if pending > 0 { text += ", \(counted(pending, "change")) on the way" }
    return text + "\n"
  }

  static func percent(_ value: JSONValue?) -> String {
    "\(fixed((value?.number ?? 0) * 100, 1)) %"
  }

  static func grant(_ grant: JSONValue?) -> String {
    guard let grant else { return "" }
    var parts: [String] = []
    var latencies: [String] = []
    for (side, direction) in [("sink", "out"), ("source", "in")] {
      guard let device = grant[side], device["name"]?.string != nil else { continue }
      parts.append("\(side) \(shown(device["name"])) (\(device["channels"]?.integer ?? 0) ch)")
      latencies.append("\(direction) \(fixed((device["latency"]?.number ?? 0) * 1000, 1)) ms")
    }
    let rate = grant["sampleRate"]?.number ?? 0
    let frames = grant["sliceFrames"]?.integer ?? 0
    parts.append("\(fixed(rate, rate == rate.rounded() ? 0 : 2)) Hz")
    parts.append(
      "slice \(frames) frames (\(fixed(Double(frames) / max(1, rate) * 1000, 1)) ms)")
    if !latencies.isEmpty { parts.append("latency \(latencies.joined(separator: " "))") }
    let scheduling = shown(grant["scheduling"])
    if !scheduling.isEmpty { parts.append("scheduling \(scheduling)") }
    return parts.joined(separator: ", ")
  }
}
