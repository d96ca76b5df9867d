import AudioTypes

/// A fast parser for the most common options. swift-argument-parser takes as long for all options
/// as a short render takes in total.
extension Render {
  /// Parses patches, `-o`, `--duration` and `--quiet` in their plainest spelling; `nil` for any
  /// other argument, which the full parser reads. A test compares both parsers.
  static func plain(_ arguments: [String]) -> Render? {
    var files: [String] = []
    var output: String?
    var duration: Seconds?
    var quiet = false
    var rest = arguments[...]
    while let word = rest.popFirst() {
      switch word {
      case "-q", "--quiet":
        guard !quiet else { return nil }
        quiet = true
      case "-o", "--output":
        guard output == nil, let path = rest.popFirst(), isPlain(path) else { return nil }
        output = path
      case "--duration":
        guard duration == nil, let text = rest.popFirst(), isPlain(text),
          let seconds = Seconds(argument: text)
        else { return nil }
        duration = seconds
      default:
        guard isPlain(word) else { return nil }
        files.append(word)
      }
    }
    guard !files.isEmpty else { return nil }
    var render = standard
    render.files = files
    render.output = output
    render.duration = duration
    render.quiet = quiet
    return render
  }

  /// Whether the full parser cannot take the word for an option.
  private static func isPlain(_ word: String) -> Bool {
    !word.isEmpty && word.utf8.first != UInt8(ascii: "-")
  }

  /// A command with the default of each option. The properties trap if they are read before they
  /// are set.
  private static var standard: Render {
    var render = Render()
    render.pictures = []
    render.input = nil
    render.format = nil
    render.dither = .tpdf
    render.quality = nil
    render.onReadError = .fail
    render.threads = nil
    render.overwrite = false
    render.allowSilence = false
    render.json = false
    var beginning = StartOptions()
    beginning.start = nil
    render.beginning = beginning
    var level = LevelOptions()
    level.limitPeak = nil
    render.level = level
    var kernel = KernelOptions()
    kernel.kernel = nil
    render.kernel = kernel
    var native = NativeOptions()
    native.allowNative = false
    render.native = native
    var overrides = OverrideOptions()
    overrides.overrides = []
    render.overrides = overrides
    render.policy = .standard
    var hardware = HardwareOptions()
    hardware.hardware = nil
    render.hardware = hardware
    render.appearance = .standard
    return render
  }
}
