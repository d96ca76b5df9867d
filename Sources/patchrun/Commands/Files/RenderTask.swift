import AudioGraphs
import AudioTypes
import Diagnostics
import FileAccess
import Jobs
import PatchGraph
import PatchRendering
import PatchSyntax
import PictureTaps
import Pictures
import RenderHost
import RenderTaps
import SoundFiles

/// One call of `patchrun render`: its arguments, and what is done with them.
///
/// A `Render` describes its options to swift-argument-parser, which takes a tenth of a short render;
/// this does not.
struct RenderTask: CommandTask {
  var files: [String]
  var output: String?
  var pictures: [PictureOption] = []
  var input: String?
  var duration: Seconds?
  /// `nil` for the type that keeps every bit.
  var format: FileSampleType?
  var dither = Dither.tpdf
  var quality: Double?
  var onReadError = ReadErrorChoice.fail
  /// `nil` for the number of processors.
  var threads: Int?
  var overwrite = false
  var waitsForDisk = true
  var allowSilence = false
  var quiet = false
  var json = false
  var start: StartMoment?
  var limitPeak: OutputPeak?
  /// `nil` for the default.
  var kernel: String?
  var native = NativeCode.refused
  var overrides: [String] = []
  var policy = PlainPolicy()
  var hardware = HardwareAssumption()
  var appearance = PlainAppearance()

  init(files: [String]) { self.files = files }

  /// The error for a patch without any output.
  static let noOutput = "there is no file to render to"

  func perform() throws(CommandFailure) -> Int32 {
    if output == "-" && StandardStream.output.isTerminal {
      throw CommandFailure(
        ExitStatus.wrongUsage, "a sound file is nothing for a terminal",
        help: ["send it on: '-o - | program', or name a file: '-o out.wav'"])
    }
    try KernelOptions.apply(kernel)
    let signals = try Signals()
    if let path = files.first, files.count == 1, !FolderListing.isFolder(path),
      !FilePattern(path).isPattern || FolderListing.exists(path)
    {
      return try render(path, policy.forNamed(path), signals)
    }
    return try renderEach(signals)
  }

  /// Renders one patch.
  ///
  /// - Parameters:
  ///   - path: Its file.
  ///   - access: How the file may be read.
  ///   - sheet: Receives the result with `--json` for one of several patches; `nil` prints it.
  /// - Returns: The exit status.
  func render(
    _ path: String, _ access: FilePolicy, _ signals: Signals, sheet: ((JSONText) -> Void)? = nil
  ) throws(CommandFailure) -> Int32 {
    let file = try PatchFile(path, files: access, limits: policy.limits)
    var reading = file.read(overrides)
    let reader = try SoundFileReader.opened(asInput: input)
    var assumption = hardware
    if assumption.inputChannels == nil { assumption.inputChannels = reader?.channelCount }
    let surroundings = policy.reaching(access).surroundings(
      of: file, native, takes: Takes(overwrite ? .replace : .replaceOwn))
    let device = PatchDevice.assumed(assumption)
    var patch = PatchBuilder.build(reading, in: surroundings, device: device)
    if !(quiet && !patch.hasErrors) { appearance.report(patch) }
    guard !patch.hasErrors, let graph = patch.graph,
      let request = reading.document.map(PatchBuilder.request)
    else {
      return ExitStatus.wrongPatch
    }
    if start != nil { graph.closeTaps() }
    graph.outputPeakCeiling = limitPeak?.magnitude
    graph.renderThreadCount = ThreadOptions.count(threads)
    try native.check(patch, appearance, quiet: quiet)
    let microphone = try microphone(reader, graph, request)
    try protectInputs(of: patch, surroundings.takes)
    // Updates are made on the document, and `plan` builds a patch with recordings once more.
    if patch.updates.isEmpty && patch.outputFiles.isEmpty {
      reading.document = nil
      patch.release { [overrides] in
        PatchBuilder.build(file.read(overrides), in: surroundings, device: device)
      }
    }
    if sheet == nil { LastingValues.keep(reading, patch) }

    // All errors of the command are found before a recording replaces an existing file.
    let plan = try plan(for: patch, reading, surroundings, assumption, microphone)
    try appearance.initialize(patch)
    let live = try LivePatch.offline(patch, reading, surroundings)
    guard let session = graph.session else { return ExitStatus.wrongPatch }
    let recorders = try beginPictures(session, title: patch.title)
    let writer = try plan.format.map { format throws(CommandFailure) in try openOutput(format) }
    var rendering = Rendering(
      graph: graph, session: session, live: live,
      start: start(at: session.configuration.sampleRate),
      frameCount: plan.frameCount, microphone: microphone,
      writer: writer, pictures: recorders,
      progress: quiet || sheet != nil ? nil : TerminalLine(appearance))
    rendering.run(signals, onReadError)
    let name =
      output.map { $0 == "-" ? "standard output" : $0 }
      ?? Self.name(of: patch.outputFiles + pictures.map(\.path))
    return try finish(rendering, name, signals, session.configuration.sampleRate, sheet)
  }

  /// The name of the result in the summary, from the files that are written.
  private static func name(of files: [String]) -> String {
    if files.isEmpty { return "measured" }
    return files.allSatisfy { PictureFormat(path: $0) != nil } ? "pictures" : "recordings"
  }

  // MARK: Before

  private func microphone(
    _ reader: SoundFileReader?, _ graph: AudioGraph, _ request: SessionRequest
  ) throws(CommandFailure) -> OfflineMicrophone? {
    guard let reader else { return nil }
    guard request.wantsInput, let format = graph.grant.inputFormat else {
      throw CommandFailure.noMicrophone
    }
    do throws(SoundFileError) {
      return try OfflineMicrophone(
        reader, sampleRate: format.sampleRate, channelCount: format.channelCount)
    } catch {
      throw CommandFailure(ExitStatus.unavailable, error.message, help: [error.help])
    }
  }

  /// Throws if the output is a file that is read, or that the patch itself writes.
  private func protectInputs(
    of patch: BuiltPatch, _ takes: Takes
  ) throws(CommandFailure) {
    let outputs = patch.outputFiles.compactMap(takes.plainPath)
    let read = patch.inputFiles + [input, files[0] == "-" ? nil : files[0]].compactMap { $0 }
    if let output, output != "-" {
      if let same = read.first(where: { OneFile.same($0, output) }) {
        throw CommandFailure(
          ExitStatus.wrongUsage, "\(quoted(output)) would be overwritten: it is read by the render",
          help: same == output ? ["name another file"] : ["it is the same file as \(quoted(same))"])
      }
      if outputs.contains(where: { OneFile.same($0, output) }) {
        throw CommandFailure(
          ExitStatus.wrongUsage, "\(quoted(output)) is written by a tap of the patch, too",
          help: ["name another file, or leave -o out"])
      }
    }
    try protectFromPictures(read, outputs)
    for written in outputs where read.contains(where: { OneFile.same($0, written) }) {
      throw CommandFailure(
        ExitStatus.wrongUsage,
        "\(quoted(written)) would be overwritten by a tap: it is read by the render")
    }
  }

  /// Throws if a picture would replace a file that is read or written.
  private func protectFromPictures(
    _ read: [String], _ outputs: [String]
  ) throws(CommandFailure) {
    var written = outputs + [output].compactMap { $0 }
    for picture in pictures {
      if read.contains(where: { OneFile.same($0, picture.path) }) {
        throw CommandFailure(
          ExitStatus.wrongUsage,
          "\(quoted(picture.path)) would be overwritten by a picture: it is read by the render")
      }
      if written.contains(where: { OneFile.same($0, picture.path) }) {
        throw CommandFailure(
          ExitStatus.wrongUsage, "\(quoted(picture.path)) would be written twice",
          help: ["give the picture a file of its own"])
      }
      written.append(picture.path)
    }
  }

  private func beginPictures(
    _ session: RenderSession, title: String?
  ) throws(CommandFailure) -> [PictureRecorder] {
    guard !pictures.isEmpty else { return [] }
    guard session.configuration.client != nil, let format = session.configuration.device else {
      throw CommandFailure(
        ExitStatus.wrongUsage,
        "nothing feeds the output of the patch, so that --picture has no use",
        help: ["put a tap of the kind 'picture' at the bus that is to be drawn"])
    }
    var recorders: [PictureRecorder] = []
    for picture in pictures { recorders.append(try picture.recorder(format, title: title)) }
    return recorders
  }

  /// The duration and the format of a render.
  struct Plan {
    var frameCount: Int
    /// The format of the output file; `nil` without a file.
    var format: StreamFormat?
  }

  private func plan(
    for patch: BuiltPatch, _ reading: PatchReader.Result, _ surroundings: PatchSurroundings,
    _ assumption: HardwareAssumption, _ microphone: OfflineMicrophone?
  ) throws(CommandFailure) -> Plan {
    var probe = patch
    if !patch.outputFiles.isEmpty {
      // With the taps of its sub-graphs, which record too.
      var reading = reading
      reading.document = patch.document
      reading.document?.taps = []
      probe = PatchBuilder.build(reading, in: surroundings, device: .assumed(assumption))
    }
    guard let graph = probe.graph else { return Plan(frameCount: 0) }
    try appearance.initialize(probe)
    guard let session = graph.session else { return Plan(frameCount: 0) }
    let hasOutput = session.configuration.client != nil
    let format = try outputFormat(
      hasOutput ? session.configuration.device : nil, patch, isMeasured: !graph.readings.isEmpty)
    let rate = session.configuration.sampleRate
    let count = try frameCount(rate, microphone) { () throws(CommandFailure) in
      try probe.ownFrameCount(.init(reading, in: surroundings, assuming: assumption), at: rate)
    }
    return Plan(frameCount: count, format: format)
  }

  /// Frames that are rendered before the first one that is written.
  private func start(at rate: Double) -> Int { start?.frames(at: rate) ?? 0 }

  /// The number of frames to render.
  ///
  /// - Parameter own: Finds out how long the patch plays by itself.
  private func frameCount(
    _ rate: Double, _ microphone: OfflineMicrophone?, own: () throws(CommandFailure) -> Int?
  ) throws(CommandFailure) -> Int {
    if let duration { return try duration.renderedFrames(at: rate) }
    if let end = try own().map({ max($0, microphone?.frameCount ?? 0) }) ?? microphone?.frameCount {
      let start = start(at: rate)
      guard start < end || start == 0 else {
        throw CommandFailure(
          ExitStatus.wrongUsage,
          "the patch is over after \(fixed(Double(end) / rate, 3)) s, and --start is behind that",
          help: ["begin earlier, or say how long: --duration SECONDS"])
      }
      return end - start
    }
    throw CommandFailure(
      ExitStatus.wrongUsage, "the patch has no end of its own",
      help: ["say how long: --duration SECONDS"])
  }

  /// The format of the output, checked without touching the file.
  private func outputFormat(
    _ format: StreamFormat?, _ patch: BuiltPatch, isMeasured: Bool
  ) throws(CommandFailure) -> StreamFormat? {
    guard let format else {
      guard output == nil else {
        throw CommandFailure(
          ExitStatus.wrongUsage, "nothing feeds the output of the patch, so that -o has no use",
          help: ["leave -o out: what the taps of the patch write is what it renders"])
      }
      return nil
    }
    guard let output else {
      guard patch.outputFiles.isEmpty && !isMeasured && pictures.isEmpty else { return nil }
      throw CommandFailure(
        ExitStatus.wrongUsage, Self.noOutput, help: ["name one: -o out.wav"])
    }
    if let problem = SoundFileWriter.problem(
      path: output, format: format, sampleType: self.format, quality: quality)
    {
      throw Self.failure(problem)
    }
    return format
  }

  private func openOutput(_ format: StreamFormat) throws(CommandFailure) -> SoundFileWriter {
    do throws(SoundFileError) {
      let writer = try SoundFileWriter(
        path: output ?? "-", format: format, sampleType: self.format, quality: quality,
        dither: dither)
      writer.diskWait = waitsForDisk ? .atClose : .never
      return writer
    } catch {
      throw Self.failure(error)
    }
  }

  private static func failure(_ error: SoundFileError) -> CommandFailure {
    let status =
      switch error.kind {
      case .formatNotSupported, .unknownFormat: ExitStatus.wrongUsage
      // The file could be opened, but not written.
      case .writeFailed: ExitStatus.failedRunning
      default: ExitStatus.unavailable
      }
    return CommandFailure(status, error.message, help: [error.help])
  }
}
