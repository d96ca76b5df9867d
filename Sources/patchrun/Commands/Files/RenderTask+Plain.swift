import AudioTypes
import PatchSyntax

/// A fast parser for the most common options. swift-argument-parser takes as long for all options
/// as a short render takes in total.
extension RenderTask {
  /// Parses patches, `-o`, `--duration`, `--limit`, `--no-sync` and `--quiet` in their plainest spelling; `nil` for
  /// any other argument, which the full parser reads. A test compares both parsers.
  static func plain(_ arguments: [String]) -> RenderTask? {
    var files: [String] = []
    var output: String?
    var duration: Seconds?
    var quiet = false
    var waitsForDisk = true
    var limits: [String] = []
    var limited = PatchLimits.standard
    var rest = arguments[...]
    while let word = rest.popFirst() {
      switch word {
      case "-q", "--quiet":
        guard !quiet else { return nil }
        quiet = true
      case "--no-sync":
        guard waitsForDisk else { return nil }
        waitsForDisk = false
      case "-o", "--output":
        guard output == nil, let path = rest.popFirst(), isPlain(path) else { return nil }
        output = path
      case "--duration":
        guard duration == nil, let text = rest.popFirst(), isPlain(text),
          let seconds = Seconds(argument: text)
        else { return nil }
        duration = seconds
      case "--limit":
        guard let text = rest.popFirst(), isPlain(text), limited.set(text) == nil else {
          return nil
        }
        limits.append(text)
      default:
        guard isPlain(word) else { return nil }
        files.append(word)
      }
    }
    guard !files.isEmpty else { return nil }
    var task = RenderTask(files: files)
    task.output = output
    task.duration = duration
    task.quiet = quiet
    task.waitsForDisk = waitsForDisk
    task.policy.limit = limits
    return task
  }

  /// Whether the full parser cannot take the word for an option.
  private static func isPlain(_ word: String) -> Bool {
    !word.isEmpty && word.utf8.first != UInt8(ascii: "-")
  }
}
