import ArgumentParser
import AudioGraphs
import AudioTypes
import Diagnostics
import FileAccess
import Glibc
import Jobs
import PatchGraph
import PatchRendering
import PatchSyntax
import PictureTaps
import Pictures
import RenderHost
import RenderTaps
import SoundFiles

struct Render: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Renders a patch to a sound file, faster than real time and without a sound server.",
    discussion: """
      Any patch can be rendered: a Generic Output is pulled; the output of an I/O unit goes into \
      the file, and its input comes from --input. The render ends when its sources end, or after \
      --duration. The same patch gives the same bytes every time. If one of several patches fails, \
      the others are still rendered; the exit status is the highest of theirs.

      EXAMPLES:
        patchrun render mix.json --duration 5 -o mix.wav
        patchrun render mix.json --duration 0:20 -o - > mix.wav
        patchrun new pass-through -o pass.json
        patchrun render pass.json --input mix.wav -o heard.flac --format int16
        patchrun render mix.json new.json --duration 2 -o 'sounds/{name}.flac'
        patchrun render mix.json --duration 10 \\
          --picture waveform=mix.svg --picture spectrogram=mix.png,floor=-100

      EXIT STATUS:
        0  fine
        1  the patch is wrong
        2  wrong usage, such as a patch without an end and no --duration, or an
           output that is also an input
        3  a file cannot be read or written
        4  a failure on the way: a file that cannot be read or written to its
           end; or a result that is all silence
        130  interrupted: the frames rendered so far are in the file

      FILES:
        OUT  is replaced when the render is complete and on the disk; otherwise it
             is not changed
        OUT.unfinished.wav  the file while it is written (OUT without its
             extension). A failed or killed render leaves it behind. Players
             can play it, and 'patchrun recover' repairs it

      SIGNALS:
        SIGINT  finishes the file with the frames rendered so far; status 130
      """)

  @Argument(
    help: ArgumentHelp(
      "The patch, or '-' for standard input. Several patches, folders of patches or patterns are "
        + "rendered side by side.", valueName: "file"),
    completion: .file(extensions: ["json", "jsonc"]))
  var files: [String]

  @Option(
    name: .output,
    help: ArgumentHelp(
      "The sound file to write; its extension says what kind. '-' is WAV on standard output. Of "
        + "several patches, a folder, or a path with {name} for the name of each. It may be left "
        + "out where the patch makes recordings or pictures of its own, or measures.",
      valueName: "path"),
    completion: .file())
  var output: String?

  @Option(
    name: .customLong("picture"), parsing: .singleValue,
    help: ArgumentHelp(
      "Draw what is rendered: waveform=FILE, spectrogram=FILE or levels=FILE, an SVG or a PNG; behind "
        + "it, each after a comma, settings of a 'picture' tap: width=1600. Repeatable; without -o, "
        + "only pictures are written.",
      valueName: "kind=path"),
    transform: PictureOption.read)
  var pictures: [PictureOption] = []

  @Option(help: .microphone, completion: .file())
  var input: String?

  @Option(help: .duration)
  var duration: Seconds?

  @Option(
    help: ArgumentHelp(
      "What a sample becomes in the file: "
        + FileSampleType.allCases.map(\.rawValue).joined(separator: ", ")
        + ". Not given, what keeps every bit.",
      valueName: "type"),
    completion: .list(FileSampleType.allCases.map(\.rawValue)),
    transform: oneOf)
  var format: FileSampleType?

  @Option(
    help: ArgumentHelp(
      "The noise that is added before samples become integers, if bits are lost: 'tpdf' "
        + "has a triangular distribution, 'shaped' is the same noise at frequencies where it "
        + "is least audible.",
      valueName: "none|tpdf|shaped"),
    completion: .list(Dither.allCases.map(\.rawValue)),
    transform: oneOf)
  var dither = Dither.tpdf

  @Option(
    help: ArgumentHelp(
      "The quality of lossy compression, from 0, the smallest file, to 1, the best sound.",
      valueName: "0...1"))
  var quality: Double?

  @Option(
    help: ArgumentHelp(
      "The reaction to a sound file that cannot be read to its end: 'fail' ends the "
        + "render with 4, 'silence' replaces the missing frames by silence.",
      valueName: "fail|silence"),
    completion: .list(["fail", "silence"]))
  var onReadError = ReadErrorChoice.fail

  @Option(
    help: ArgumentHelp(
      "The greatest number of threads that render; by default the number of processors. "
        + "More than one is used if a patch has enough independent branches. The samples are "
        + "the same.",
      valueName: "count"))
  var threads: Int?

  @Flag(
    help: ArgumentHelp(
      "Let taps and pictures of the patch replace files that patchrun has not written."))
  var overwrite = false

  @Flag(help: "End with 0 even if the result is all silence.")
  var allowSilence = false

  @Flag(name: [.customShort("q"), .long], help: "Print only errors and warnings.")
  var quiet = false

  @Flag(help: "Print the result, and the measurements of the taps, as JSON.")
  var json = false

  @OptionGroup var beginning: StartOptions
  @OptionGroup var level: LevelOptions
  @OptionGroup var kernel: KernelOptions
  @OptionGroup var native: NativeOptions
  @OptionGroup var overrides: OverrideOptions
  @OptionGroup var policy: PolicyOptions
  @OptionGroup var hardware: HardwareOptions
  @OptionGroup var appearance: AppearanceOptions

  private static let mostThreads = 64
  /// The error for a patch without any output.
  static let noOutput = "there is no file to render to"

  func validate() throws {
    if let quality, !(0...1).contains(quality) {
      throw ValidationError("--quality is 0 to 1, not \(quality)")
    }
    if let threads, !(1...Self.mostThreads).contains(threads) {
      throw ValidationError("--threads is 1 to \(Self.mostThreads), not \(threads)")
    }
    if json && output == "-" {
      throw ValidationError("--json and '-o -' both write to standard output")
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    if output == "-" && StandardStream.output.isTerminal {
      throw CommandFailure(
        ExitStatus.wrongUsage, "a sound file is nothing for a terminal",
        help: ["send it on: '-o - | program', or name a file: '-o out.wav'"])
    }
    try kernel.apply()
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
    let reading = file.read(overrides)
    let reader = try SoundFileReader.opened(asInput: input)
    var assumption = hardware.assumption
    if assumption.inputChannels == nil { assumption.inputChannels = reader?.channelCount }
    let surroundings = policy.reaching(access).surroundings(
      of: file, native.nativeCode, takes: Takes(overwrite ? .replace : .replaceOwn))
    let patch = PatchBuilder.build(reading, in: surroundings, device: .assumed(assumption))
    if sheet == nil { LastingValues.keep(reading, patch) }
    if !(quiet && !patch.hasErrors) { appearance.report(patch) }
    guard !patch.hasErrors, let graph = patch.graph, let document = reading.document else {
      return ExitStatus.wrongPatch
    }
    if beginning.start != nil { graph.closeTaps() }
    graph.outputPeakCeiling = level.limitPeak?.magnitude
    graph.renderThreadCount = threads ?? min(processorCount, Self.mostThreads)
    try native.check(patch, appearance, quiet: quiet)
    let microphone = try microphone(reader, graph, PatchBuilder.request(of: document))
    try protectInputs(of: patch, surroundings.takes)

    // All errors of the command are found before a recording replaces an existing file.
    let plan = try plan(for: patch, reading, surroundings, assumption, microphone)
    try appearance.prepare(patch, reading, surroundings)
    guard let session = graph.session else { return ExitStatus.wrongPatch }
    let recorders = try beginPictures(session, title: patch.title)
    let writer = try plan.format.map { format throws(CommandFailure) in try openOutput(format) }
    var rendering = Rendering(
      graph: graph, session: session, start: start(at: session.configuration.sampleRate),
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
      throw CommandFailure(
        ExitStatus.wrongUsage, "the patch hears no microphone, so that --input has no use",
        help: [
          "turn the I/O unit's input on: \"inputs\": { \"1\": { \"properties\": "
            + "{ \"enableIO\": true } } }"
        ])
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
    try appearance.prepare(probe, reading, surroundings, hasTaps: patch.outputFiles.isEmpty)
    guard let session = graph.session else { return Plan(frameCount: 0) }
    let hasOutput = session.configuration.client != nil
    let format = try outputFormat(
      hasOutput ? session.configuration.device : nil, patch, isMeasured: !graph.readings.isEmpty)
    let count = try frameCount(graph, session.configuration.sampleRate, microphone)
    return Plan(frameCount: count, format: format)
  }

  /// Frames that are rendered before the first one that is written.
  private func start(at rate: Double) -> Int { beginning.start?.frames(at: rate) ?? 0 }

  /// The number of frames to render.
  private func frameCount(
    _ graph: AudioGraph, _ rate: Double, _ microphone: OfflineMicrophone?
  ) throws(CommandFailure) -> Int {
    if let duration { return duration.frames(at: rate) }
    if let end = graph.duration.map({ max($0, microphone?.frameCount ?? 0) })
      ?? microphone?.frameCount
    {
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
      return try SoundFileWriter(
        path: output ?? "-", format: format, sampleType: self.format, quality: quality,
        dither: dither)
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
