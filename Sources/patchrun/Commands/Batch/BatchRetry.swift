import ArgumentParser
import Batches

struct BatchRetry: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry",
    abstract: "Renders the jobs again that have failed.",
    discussion: """
      A job that has failed stays so in later runs, unless its line, its patch or an input has \
      changed: rendered again, it would fail again. Where the reason was another, such as a full \
      disk, 'retry' renders what has failed, and nothing else.

      EXAMPLES:
        patchrun batch plan mix.json --duration 1 > jobs.jsonl \\
          && patchrun batch run jobs.jsonl --out out \\
          && patchrun batch retry jobs.jsonl --out out

      EXIT STATUS:
        0  nothing has failed any more
        1  something has failed again
        2  wrong usage
        3  the manifest cannot be read, or the folder cannot be written
        4  a failure on the way: no record can be written
        130  interrupted: what is done has its record
      """)

  @OptionGroup var work: BatchRunOptions
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    try work.perform(appearance, retries: true)
  }
}
