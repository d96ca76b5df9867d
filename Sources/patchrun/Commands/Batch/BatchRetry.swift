import ArgumentParser

struct BatchRetry: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry",
    abstract: "Renders the failed jobs again.",
    discussion: """
      Later runs do not render a failed job again unless its line, its patch or an input has \
      changed, because it would fail again. If the cause was something else, such as a full disk, \
      'retry' renders the failed jobs, and no others.

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
        130  interrupted: the finished jobs have records
      """)

  @OptionGroup var work: BatchRunOptions
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    try work.perform(appearance, retries: true)
  }
}
