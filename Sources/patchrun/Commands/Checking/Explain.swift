import ArgumentParser
import Diagnostics
import PatchReference

struct Explain: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explains a code or a status, with a wrong and a corrected patch.",
    usage: "patchrun explain [--json] [--markdown] [--color <when>] [<topic>]",
    discussion: """
      TOPIC is the code of a message, the name of its rule, or an OSStatus by its number or its \
      constant. Without a topic all codes are listed.

      EXAMPLES:
        patchrun explain PR0405
        patchrun explain format/mixer-rates
        patchrun explain -10868
        patchrun explain kAudioUnitErr_FormatNotSupported

      EXIT STATUS:
        0  it has been explained
        2  there is no such code and no such status
      """)

  // A status is a negative number, which would be taken for an option.
  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp("A code, a rule's name, a status.", valueName: "topic"),
    completion: .custom(CompletionValues.topics))
  var topics: [String] = []

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Print Markdown; without a topic, a page of everything.")
  var markdown = false

  @OptionGroup var appearance: AppearanceOptions

  func validate() throws {
    if json && markdown { throw ValidationError("--json and --markdown exclude each other") }
    if asked.count > 1 {
      throw ValidationError("one topic at a time: \(asked.joined(separator: ", "))")
    }
    if let topic = asked.first, topics.first != "--", topic.hasPrefix("-"), !Self.isNumber(topic) {
      throw ValidationError("Unknown option '\(topic)'")
    }
  }

  private static func isNumber(_ text: String) -> Bool { Int(text) != nil }

  /// The topics; the parser leaves a leading `--` among the arguments.
  private var asked: [String] { topics.first == "--" ? Array(topics.dropFirst()) : topics }

  func perform() throws(CommandFailure) -> Int32 {
    let text = ExplanationText(
      width: StandardStream.output.columns ?? 80, color: appearance.color.colors(.output))
    guard let asked = asked.first else {
      try output(
        json ? ExplanationText.json() : markdown ? ExplanationText.markdown() : text.list())
      return ExitStatus.success
    }
    guard let topic = ExplanationIndex.topic(asked) else {
      throw CommandFailure(
        ExitStatus.wrongUsage, "there is no code and no status \(quoted(asked))",
        help: ExplanationIndex.help(for: asked))
    }
    try output(
      json
        ? ExplanationText.json(topic)
        : markdown ? ExplanationText.markdown(topic) : text.page(topic))
    return ExitStatus.success
  }
}
