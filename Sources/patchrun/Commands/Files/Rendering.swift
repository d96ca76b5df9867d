import ArgumentParser
import AudioGraphs
import AudioTypes
import Diagnostics
import Glibc
import PatchGraph
import PatchReference
import PatchRendering
import PatchSyntax
import PictureTaps
import Pictures
import RenderCore
import RenderHost
import SoundFiles

/// The values of `--on-read-error`.
enum ReadErrorChoice: String, ExpressibleByArgument, CaseIterable {
  case fail, silence

  var policy: OfflineDevice.ReadErrorPolicy { self == .fail ? .fail : .silence }
}

/// A running render and its result.
struct Rendering {
  let graph: AudioGraph
  let session: RenderSession
  /// Makes the updates of the timeline; `nil` for a patch without.
  let live: LivePatch?
  /// Frames that are rendered before the first one that is written.
  let start: Int
  let frameCount: Int
  let microphone: OfflineMicrophone?
  let writer: SoundFileWriter?
  let pictures: [PictureRecorder]
  /// The progress line; `nil` for none.
  let progress: TerminalLine?
  private(set) var outcome = OfflineDevice.Outcome()
  private(set) var decoder: DeviceDecoder?
  private var seconds = 0.0
  /// The path of an unfinished file that a failed render has left.
  private(set) var unfinished: String?

  init(
    graph: AudioGraph, session: RenderSession, live: LivePatch?, start: Int, frameCount: Int,
    microphone: OfflineMicrophone?,
    writer: SoundFileWriter?, pictures: [PictureRecorder], progress: TerminalLine?
  ) {
    self.graph = graph
    self.session = session
    self.live = live
    self.start = start
    self.frameCount = frameCount
    self.microphone = microphone
    self.writer = writer
    self.pictures = pictures
    self.progress = progress
  }

  mutating func run(_ signals: Signals, _ readErrors: ReadErrorChoice) {
    let begin = monotonicNanoseconds()
    var fillMicrophone: Microphone?
    if let microphone {
      fillMicrophone = { (_: Int, buffer: ChannelBuffer) throws(ServiceError) in
        try microphone.fill(buffer)
      }
    }
    let device = OfflineDevice(graph.grant, microphone: fillMicrophone)
    let output = session.configuration.device.flatMap { format in
      session.configuration.client.map { _ in RenderedOutput(format, writer, pictures) }
    }
    var lastShown: UInt64 = 0
    var line = progress
    let rate = session.configuration.sampleRate
    outcome = device.run(
      session, frameCount: frameCount, services: graph.services, readErrors: readErrors.policy,
      skipping: start, begin: { graph.openTaps() },
      isCancelled: { signals.interruptedBy != nil },
      progress: { (done) throws(ServiceError) in
        graph.collect()
        try live?.planNextUpdates()
        let now = monotonicNanoseconds()
        guard line?.isPossible == true, now - lastShown > 100_000_000 else { return }
        lastShown = now
        let bar = ProgressBar(
          done: done, total: frameCount, sampleRate: rate, seconds: Double(now - begin) / 1e9)
        line?.show { bar.grid(width: $0, $1) }
      },
      to: output)
    decoder = output?.decoder
    outcome.errors += graph.serviceErrors
    outcome.events += graph.takeServiceEvents()
    // A failed render does not replace an existing file.
    let isBad = !outcome.errors.isEmpty || decoder?.badSamples ?? 0 > 0
    if let writer, isBad {
      let place = writer.unfinishedPath
      writer.abandon()
      if place != writer.path && writer.framesWritten > 0 { unfinished = place }
    } else if let writer {
      do throws(SoundFileError) { try writer.close() } catch {
        outcome.errors.append(ServiceError(error.message))
        if writer.unfinishedPath != writer.path { unfinished = writer.unfinishedPath }
      }
    }
    for picture in pictures where !isBad {
      do throws(PictureFile.Failure) { try picture.write() } catch {
        outcome.errors.append(ServiceError(error.message))
      }
    }
    line?.clear()
    seconds = Double(monotonicNanoseconds() - begin) / 1e9
  }

  func summary(_ name: String, _ rate: Double) -> String {
    let duration = Double(outcome.frameCount) / rate
    var text =
      "\(printable(name)): \(counted(outcome.frameCount, "frame")), \(fixed(duration, 3)) s"
    // Not joined from an array: for that the runtime looks through all conformances of the program once.
    func add(_ part: String) { text += ", " + part }
    if let format = session.configuration.device, decoder != nil {
      add("\(format.channelCount) ch")
    }
    add("\(rateText(rate)) Hz")
    if let decoder { add("peak \(decibels(decoder.peak))") }
    if let clipping = writer?.clipping {
      add("\(counted(clipping.sampleCount, "sample")) clipped")
    }
    if let limited = LimitText.summary(session) { add(limited) }
    add("\(fixed(duration / max(seconds, 1e-9), 0)) x realtime")
    if outcome.wasCancelled { add("interrupted") }
    return text
  }

  /// The result as JSON, with all readings of the taps.
  func json(
    _ output: String?, _ pictures: [String], _ rate: Double, _ measurements: [TapMeasurement]
  ) -> JSONText {
    [
      "output": output.map(JSONText.string) ?? .null,
      "pictures": .array(pictures.map(JSONText.string)),
      "frames": .number(outcome.frameCount),
      "sampleRate": .number(rate),
      "channels": decoder.flatMap { _ in
        session.configuration.device.map { .number($0.channelCount) }
      } ?? .null,
      "peak": decoder.map { .number((2000 * renderLog10($0.peak)).rounded() / 100) } ?? .null,
      "clippedSamples": .number(writer?.clipping?.sampleCount ?? 0),
      "firstClipped": writer?.clipping.map { .number(Double($0.firstFrame) / rate) } ?? .null,
      "outputLimit": LimitText.json(session),
      "lostFrames": .number(outcome.lostFrames),
      "readErrors": .number(outcome.events.count { $0.kind == .unread && !$0.isOngoing }),
      "interrupted": .boolean(outcome.wasCancelled),
      "taps": MeasurementListing.json(measurements),
    ]
  }
}

extension RenderTask {
  /// The message about samples that are not finite: their time and possible origin.
  static func notFinite(
    _ count: Int, _ frame: Int, _ rate: Double, _ events: [ServiceEvent]
  ) -> (String, [String]) {
    let sources = events.filter { $0.kind == .notFinite }.map(\.file)
    return (
      "the result has \(counted(count, "sample")) that \(count == 1 ? "is" : "are") no finite "
        + "\(count == 1 ? "number" : "numbers"), the first at "
        + ServiceEvent.clock(Double(frame) / rate),
      sources.isEmpty
        ? [
          "no file has them: look for an expression that divides by 0, a native callback, or a unit "
            + "fed with values out of bounds; --picture waveform=FILE shows where the sound ends"
        ]
        : ["they come from " + sources.map { quoted($0) }.joined(separator: ", ")]
    )
  }
}
