import AudioTypes
import Control
import LanguageServer
import PatchGraph
import PatchSyntax
import RenderHost
import Synchronization

/// Answers language-server requests about a text that somebody is editing, one at a time. Any
/// thread.
final class DraftServer: Sendable {
  /// The surroundings of the document of the current request.
  private final class Place: Sendable {
    let surroundings = Mutex<PatchSurroundings?>(nil)
  }

  private struct Language {
    var server: LanguageServer
    var hardware: HardwareAssumption
  }

  private let place = Place()
  private let language = Mutex<Language?>(nil)

  /// - Parameters:
  ///   - name: The name of the patch's file: its ending decides whether comments are allowed.
  ///   - grant: The grant of the device that the patch plays on.
  func answers(
    to requests: [ControlLanguageRequest], about text: String, named name: String,
    in surroundings: PatchSurroundings, on grant: HardwareGrant
  ) -> [JSONText] {
    var hardware = HardwareAssumption()
    hardware.sampleRate = grant.sampleRate
    hardware.channels = grant.outputFormat?.channelCount
    hardware.inputChannels = grant.inputFormat?.channelCount
    hardware.ioBufferFrames = grant.ioBufferFrames
    let uri = "file:///draft" + (JSONReader.Dialect(fileName: name) == .json ? ".json" : ".jsonc")
    let document: JSONText = ["uri": .string(uri)]
    return language.withLock { language in
      place.surroundings.withLock { $0 = surroundings }
      if language?.hardware != hardware {
        language = Language(server: begin(hardware), hardware: hardware)
      }
      let opened = document.adding(["languageId": "json", "version": 1, "text": .string(text)])
      language?.server.notify("textDocument/didOpen", ["textDocument": opened])
      defer {
        language?.server.notify("textDocument/didClose", ["textDocument": document])
        // Discards the findings, which no client waits for.
        _ = language?.server.findings()
      }
      return requests.map { request in
        // Only requests about the document are answered: others are about the server, which other
        // documents share.
        let method = request.method.hasPrefix("textDocument/") ? request.method : "none"
        let parameters = request.parameters.members.filter { $0.name != "textDocument" }
        return language?.server.ask(
          method, .object(parameters + [.init("textDocument", document)])) ?? [:]
      }
    }
  }

  private func begin(_ hardware: HardwareAssumption) -> LanguageServer {
    let place = place
    var server = LanguageServer(
      version: Program.version, hardware: hardware,
      surroundings: { directory in
        place.surroundings.withLock { $0 } ?? PatchSurroundings(directory: directory)
      })
    _ = server.ask(
      "initialize",
      [
        "capabilities": [
          "textDocument": [
            "hover": ["contentFormat": ["markdown"]],
            "completion": ["completionItem": ["snippetSupport": true]],
          ]
        ]
      ])
    return server
  }
}

extension LanguageServer {
  fileprivate mutating func notify(_ method: String, _ parameters: JSONText) {
    let message: JSONText = ["jsonrpc": "2.0", "method": .string(method), "params": parameters]
    _ = receive(Array(message.compact.utf8))
  }

  /// Sends a request and returns `{ "result": … }` or `{ "error": … }`.
  fileprivate mutating func ask(_ method: String, _ parameters: JSONText) -> JSONText {
    let message: JSONText = [
      "jsonrpc": "2.0", "id": 1, "method": .string(method), "params": parameters,
    ]
    let answer = receive(Array(message.compact.utf8)).first ?? [:]
    return .object(answer.members.filter { $0.name == "result" || $0.name == "error" })
  }
}
