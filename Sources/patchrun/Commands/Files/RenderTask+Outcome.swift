import AudioGraphs
import Diagnostics
import PatchGraph
import PatchSyntax
import RenderCore
import RenderHost
import SoundFiles

extension RenderTask {
  /// Reports the outcome of a render and returns the exit status.
  func finish(
    _ rendering: Rendering, _ name: String, _ signals: Signals, _ rate: Double,
    _ sheet: ((JSONText) -> Void)?
  ) throws(CommandFailure) -> Int32 {
    let outcome = rendering.outcome
    var events = FileEvents()
    for event in outcome.events {
      guard let (kind, message) = events.take(event), kind != "error" else { continue }
      // With `.fail` the error of the render reports an unreadable file.
      if event.kind == .unread && onReadError == .fail { continue }
      if !quiet || kind == "warning" { appearance.report(kind, message) }
    }
    var errors = outcome.errors.map { ($0.message, [String]()) }
    if onReadError == .fail, !errors.isEmpty,
      outcome.events.contains(where: { $0.kind == .unread })
    {
      errors[0].1 = [
        "'--on-read-error silence' goes on with silence in the place of what is missing"
      ]
    }
    errors += events.failures.map { ($0, []) }
    let failed = rendering.session.failedSlices
    if failed.count > 0 {
      errors.append(
        ("\(counted(failed.count, "slice")) could not be rendered: \(failed.status)", []))
    }
    if let decoder = rendering.decoder, let first = decoder.firstBadFrame {
      errors.append(Self.notFinite(decoder.badSamples, first, rate, outcome.events))
    }
    if rendering.session.limited.silencedSamples > 0 {
      errors.append(
        ("samples that are not finite numbers have become silence in the result", []))
    }
    if outcome.lostFrames > 0 {
      errors.append(("\(counted(outcome.lostFrames, "frame")) of files were lost", []))
    }
    for error in errors { appearance.report("error", error.0, help: error.1) }
    if let writer = rendering.writer, let clipping = writer.clipping {
      appearance.report(
        "warning",
        "the result is louder than full scale: \(counted(clipping.sampleCount, "sample")) "
          + "clipped in \(quoted(name)), first at "
          + ServiceEvent.clock(Double(clipping.firstFrame) / rate),
        help: [
          "lower a volume, or the peak: --limit-peak -1dB; '--format float32' holds what is above "
            + "full scale"
        ])
    }
    if let left = rendering.unfinished, !quiet {
      appearance.report("note", "what has been rendered is in \(quoted(left))")
    }
    let measurements = rendering.graph.readings
    if !quiet {
      StandardStream.error.put(rendering.summary(name, rate) + "\n")
      for measurement in measurements {
        StandardStream.error.put(MeasurementText.text(measurement) + "\n")
      }
    }
    if json {
      let paths = pictures.map(\.path)
      let found = rendering.json(output, paths, rate, measurements)
      if let sheet { sheet(found) } else { try self.output(found.document) }
    }
    guard errors.isEmpty else { return ExitStatus.failedRunning }
    if outcome.wasCancelled, let signal = signals.interruptedBy {
      return ExitStatus.interrupted(by: signal)
    }
    if let decoder = rendering.decoder, decoder.peak == 0, !allowSilence {
      throw CommandFailure(
        ExitStatus.failedRunning, "the result is all silence",
        help: silenceReasons() + [
          "'patchrun show' says what feeds the output; --allow-silence takes silence as a success"
        ])
    }
    return ExitStatus.success
  }

  /// Why the patch may be silent. It is built again, because the rendered graph has been released.
  private func silenceReasons() -> [String] {
    let file = files[0]
    guard file != "-", let text = try? PatchFile(file, limits: policy.limits) else { return [] }
    let patch = PatchBuilder.build(
      text.read(overrides), in: policy.surroundings(of: text),
      device: .assumed(hardware),
      notes: true)
    return patch.silenceReasons
  }
}
