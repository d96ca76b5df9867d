/// The program, with what does not need its commands.
public enum Program {
  static let version = "0.1.0"

  /// The names of the commands in the order of the help.
  static let commandNames = [
    "run", "render", "validate", "test", "explain", "fmt", "new", "diff", "show", "response",
    "compare", "measure", "bench", "recover", "batch", "import", "export", "preset", "units",
    "devices",
    "doctor", "schema", "lsp", "mcp", "ctl", "man",
  ]
}
