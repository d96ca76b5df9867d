import ArgumentParser
import Diagnostics
import FileAccess
import PatchImport

struct ImportCommand: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Makes a patch from the filters of another program.",
    discussion: """
      Equalizer APO's configurations, AutoEq's results (parametric, fixed bands, graphic), REW's \
      filter settings, CamillaDSP's YAML, PipeWire's filter-chains and EasyEffects' presets become \
      bands of an NBandEQ with the same response. What an NBandEQ cannot do (filters of single \
      channels, delays, mixes, graphic equalizers) becomes an impulse response in a sound file \
      beside the patch. Everything that is not imported is reported with its line and the reason.

      EXAMPLES:
        patchrun import ParametricEQ.txt -o headphone.json
        patchrun import config.txt --channels 6 --input film.wav -o film.json
        patchrun import --from rew filters.txt --rate 44100

      EXIT STATUS:
        0  it is imported; omitted parts have been reported
        1  the file is wrong, or nothing of it can be imported
        2  wrong usage, or the program of the file cannot be recognized
        3  a file cannot be read or written
      """)

  @Argument(
    help: ArgumentHelp("The file, or '-' for standard input.", valueName: "file"),
    completion: .file(extensions: ["txt", "yml", "yaml", "conf", "json"]))
  var file: String

  @Option(
    name: .customLong("from"),
    help: ArgumentHelp(
      "The program of the file, if it cannot be recognized: equalizer-apo, autoeq, rew, "
        + "camilladsp, pipewire or easyeffects.",
      valueName: "program"),
    completion: .list(ImportDialect.allCases.map(\.rawValue)),
    transform: { text in
      if let dialect = ImportDialect(rawValue: text) { return dialect }
      let names = ImportDialect.allCases.map(\.rawValue)
      throw ValidationError(
        didYouMean(text, among: names) ?? "it is one of \(names.joined(separator: ", "))")
    })
  var dialect: ImportDialect?

  @Option(name: .output, help: .newFile, completion: .file(extensions: ["json", "jsonc"]))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "A sound file to play through the filters; by default the input of the device.",
      valueName: "file"),
    completion: .file())
  var input: String?

  @Option(
    help: ArgumentHelp(
      "The sample rate for bandwidths and delays, if the file has none.",
      valueName: "hertz"))
  var rate = 48_000.0

  @Option(
    help: ArgumentHelp(
      "How many channels there are, or their names with commas between: L,R,C.",
      valueName: "channels"))
  var channels = "2"

  @Option(
    help: ArgumentHelp(
      "Import only the lines for this device from a file of Equalizer APO.",
      valueName: "name"))
  var device: String?

  @OptionGroup var appearance: AppearanceOptions

  private var channelNames: [String]? {
    let names = channels.split(separator: ",").map {
      String($0).filter { $0 != " " }
    }.filter { !$0.isEmpty }
    guard names.count == 1, let count = Int(names[0]) else {
      return names.isEmpty || names.count > 64 ? nil : names
    }
    let all = ["L", "R", "C", "LFE", "RL", "RR", "SL", "SR"]
    switch count {
    case 4: return ["L", "R", "RL", "RR"]
    case 1...8: return Array(all[..<count])
    case 9...64: return (1...count).map(String.init)
    default: return nil
    }
  }

  func validate() throws {
    guard (1000...768_000).contains(rate) else {
      throw ValidationError("'--rate' is from 1000 to 768000")
    }
    guard channelNames != nil else {
      throw ValidationError("'--channels' is a number from 1 to 64, or names with commas between")
    }
  }

  func perform() throws(CommandFailure) -> Int32 {
    let source = try PatchFile(file).source
    let folder = file == "-" ? "" : FilePolicy.folder(of: file)
    var options = ImportOptions(folder: folder)
    options.sampleRate = rate
    options.channels = channelNames ?? options.channels
    options.device = device
    guard var result = FilterImport.read(source, from: dialect, options) else {
      throw CommandFailure(
        ExitStatus.wrongUsage, "it cannot be seen of which program \(quoted(source.name)) is",
        help: [
          "'--from' says it: "
            + ImportDialect.allCases.map(\.rawValue).joined(separator: ", ")
        ])
    }
    let written = result.chain.map { PatchWriter.write($0, writerOptions(result, folder)) }
    result.diagnostics = (result.diagnostics + (written?.diagnostics ?? [])).inDocumentOrder()
    if !result.diagnostics.isEmpty {
      StandardStream.error.put(
        appearance.text(result.diagnostics, in: result.source, for: .error))
    }
    guard let written, let text = written.text, !result.diagnostics.hasErrors else {
      return ExitStatus.wrongPatch
    }
    if let response = written.response, let output, output != "-" {
      try AtomicFile.create(Self.responsePath(output), with: response)
    }
    try output(text, toNew: output)
    return ExitStatus.success
  }

  private func writerOptions(_ result: FilterImport.Result, _ folder: String) -> PatchWriter.Options
  {
    var options = PatchWriter.Options()
    options.origin =
      "Imported from \(file == "-" ? "a text" : fileName(file)) of \(result.dialect.name)."
    let place = output.map { $0 == "-" ? "" : FilePolicy.folder(of: $0) } ?? ""
    // Paths in a patch are relative to its folder.
    func path(_ path: String) -> String {
      if path.hasPrefix("/") || place.isEmpty { return path }
      let own = place + "/"
      if path.hasPrefix(own) { return String(path.dropFirst(own.count)) }
      return place.hasPrefix("/")
        ? path : place.split(separator: "/").map { _ in "../" }.joined() + path
    }
    options.input = input.map(path)
    options.folder = folder == place ? "" : path(folder)
    if let output, output != "-" { options.responseName = fileName(Self.responsePath(output)) }
    return options
  }

  private func fileName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  /// The path of the impulse responses: beside the patch, with its name.
  static func responsePath(_ output: String) -> String {
    for ending in [".json", ".jsonc"] where output.hasSuffix(ending) {
      return output.dropLast(ending.count) + ".response.wav"
    }
    return output + ".response.wav"
  }
}
