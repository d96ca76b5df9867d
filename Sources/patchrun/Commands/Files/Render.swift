import ArgumentParser
import AudioTypes
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
        OUT  is replaced when the render is complete and, without --no-sync, on
             the disk; otherwise it is not changed
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

  @Option(help: .duration, transform: Seconds.read)
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

  @Flag(
    help: ArgumentHelp(
      "Let taps and pictures of the patch replace files that patchrun has not written."))
  var overwrite = false

  @Flag(
    name: .customLong("no-sync"),
    help: ArgumentHelp(
      "Do not wait until OUT is on the disk, as most programs do not. A disk that fails is then not "
        + "told, and after a power cut the file may be incomplete."))
  var noSync = false

  @Flag(help: "End with 0 even if the result is all silence.")
  var allowSilence = false

  @Flag(name: [.customShort("q"), .long], help: "Print only errors and warnings.")
  var quiet = false

  @Flag(help: "Print the result, and the measurements of the taps, as JSON.")
  var json = false

  @OptionGroup var beginning: StartOptions
  @OptionGroup var level: LevelOptions
  @OptionGroup var kernel: KernelOptions
  @OptionGroup var threads: ThreadOptions
  @OptionGroup var native: NativeOptions
  @OptionGroup var overrides: OverrideOptions
  @OptionGroup var policy: PolicyOptions
  @OptionGroup var hardware: HardwareOptions
  @OptionGroup var appearance: AppearanceOptions

  func validate() throws {
    if let quality, !(0...1).contains(quality) {
      throw ValidationError("--quality is 0 to 1, not \(quality)")
    }
    if json && output == "-" {
      throw ValidationError("--json and '-o -' both write to standard output")
    }
  }

  func perform() throws(CommandFailure) -> Int32 { try task.perform() }

  /// The same without the options.
  var task: RenderTask {
    var task = RenderTask(files: files)
    task.output = output
    task.pictures = pictures
    task.input = input
    task.duration = duration
    task.format = format
    task.dither = dither
    task.quality = quality
    task.onReadError = onReadError
    task.threads = threads.threads
    task.overwrite = overwrite
    task.waitsForDisk = !noSync
    task.allowSilence = allowSilence
    task.quiet = quiet
    task.json = json
    task.start = beginning.start
    task.limitPeak = level.limitPeak
    task.kernel = kernel.kernel
    task.native = native.nativeCode
    task.overrides = overrides.overrides
    task.policy = PlainPolicy(policy)
    task.hardware = hardware.assumption
    task.appearance = PlainAppearance(color: appearance.color)
    return task
  }
}
