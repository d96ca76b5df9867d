import ArgumentParser
import Control

/// The options of a run for control from outside.
struct ControlOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The name of this run for 'patchrun ctl'; by default the file's name without its "
        + "ending.",
      valueName: "name"))
  var name: String?

  @Flag(help: "Create no control socket, and take no requests.")
  var noControl = false

  @Option(
    help: ArgumentHelp(
      "Take the same requests on this port of 127.0.0.1 and [::1], of this user only; 0 for any.",
      valueName: "port"))
  var controlPort: Int?

  @Option(
    help: ArgumentHelp(
      "Take OSC messages over UDP on this port; 0 for any.", valueName: "port"))
  var osc: Int?

  @Option(
    help: ArgumentHelp(
      "Take OSC messages on this address. Everyone who can reach it can change the "
        + "patch's parameters.",
      valueName: "address"))
  var oscAddress = "127.0.0.1"

  @Flag(help: "Serve a control panel to the browser of this user, on a port of 127.0.0.1.")
  var panel = false

  @Flag(help: "Open the panel in a browser, with 'xdg-open'.")
  var open = false

  func validate() throws {
    for (option, port) in [("--control-port", controlPort), ("--osc", osc)] {
      if let port, !(0...65_535).contains(port) {
        throw ValidationError("'\(option)' is a port: 0 to 65535")
      }
    }
    if noControl && isRequired {
      throw ValidationError(
        "'--no-control' leaves nothing for '--name', '--control-port', '--osc' and '--panel'")
    }
    if open && !panel { throw ValidationError("'--open' opens a panel: '--panel --open'") }
    if osc == nil && oscAddress != "127.0.0.1" {
      throw ValidationError("'--osc-address' needs a port: '--osc PORT'")
    }
  }

  /// Whether a control server that cannot start is a failure, because an option asks for it.
  var isRequired: Bool { isMoreThanPanel || panel }

  /// Whether an option besides `--panel` asks for control.
  var isMoreThanPanel: Bool { name != nil || controlPort != nil || osc != nil }

  /// The options of the control server; `nil` for none.
  ///
  /// - Parameter file: The patch's path on the command line.
  func serverOptions(file: String) -> ControlServer.Options? {
    guard !noControl else { return nil }
    return ControlServer.Options(
      name: name ?? Self.defaultName(file), isNameExact: name != nil,
      port: controlPort ?? (panel ? 0 : nil),
      osc: osc.map { ControlServer.OSCOptions(address: oscAddress, port: $0) }, hasPanel: panel,
      version: Program.version)
  }

  /// The file's name without its ending, changed to a valid name of a socket.
  static func defaultName(_ file: String) -> String {
    guard file != "-" else { return "stdin" }
    var name = PatchFile.baseName(of: file)[...]
    while name.hasPrefix(".") { name = name.dropFirst() }
    var short = ""
    for character in name where short.utf8.count + character.utf8.count <= 48 {
      let isPlain = character.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
      short.append(isPlain ? character : "-")
    }
    return short.isEmpty ? "patch" : short
  }
}
