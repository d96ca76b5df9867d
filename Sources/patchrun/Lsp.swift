import ArgumentParser
import Glibc
import LanguageServer
import PatchGraph
import PatchSyntax

struct Lsp: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "lsp",
    abstract: "Serves an editor: findings while typing, completion, and more.",
    discussion: """
      It speaks the Language Server Protocol over standard input and output, and is started by \
      an editor. What it finds is what validate finds.

      EXAMPLES:
        patchrun lsp --hardware rate=48000
      """)

  @OptionGroup var hardware: HardwareOptions
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    var server = LanguageServer(version: Patchrun.version, hardware: hardware.assumption)
    var frames = MessageFrames()
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      while let frame = frames.next() {
        switch frame {
        case .message(let message): try send(server.receive(message))
        case .malformed(let text): try send([LanguageServer.malformed(text)])
        }
        if let status = server.exitStatus { return status }
      }
      // Nothing more has arrived: time to look at what has changed.
      if !hasInput { try send(server.findings()) }
      let count = unsafe Glibc.read(0, &block, block.count)
      if count > 0 {
        frames.append(block[..<count])
      } else if count == 0 {
        // The editor has gone without a word.
        return 1
      } else if errno != EINTR, errno != EAGAIN {
        throw CommandFailure(
          ExitStatus.worldRefused, "standard input cannot be read: \(systemMessage(errno))")
      }
    }
  }

  private var hasInput: Bool {
    var wait = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&wait, 1, 0) > 0
  }

  private func send(_ messages: [JSONText]) throws(CommandFailure) {
    for message in messages { try output(MessageFrames.framed(message.document)) }
  }
}
