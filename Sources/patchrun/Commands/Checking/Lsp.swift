import ArgumentParser
import Glibc
import LanguageServer
import PatchSyntax

struct Lsp: PatchCommand {
  static let configuration = CommandConfiguration(
    commandName: "lsp",
    abstract: "Serves an editor: findings while typing, completion, and more.",
    discussion: """
      It speaks the Language Server Protocol over standard input and output. An editor starts it. \
      Its findings are those of 'patchrun validate'.

      EXAMPLES:
        patchrun lsp
        patchrun lsp --hardware rate=48000

      EXIT STATUS:
        0  the editor has asked it to exit
        1  the editor has gone without asking it to exit
        2  wrong usage
        3  standard input or output cannot be used
      """)

  @OptionGroup var hardware: HardwareOptions
  @OptionGroup var policy: PolicyOptions
  @OptionGroup var appearance: AppearanceOptions

  func perform() throws(CommandFailure) -> Int32 {
    var server = LanguageServer(
      version: Program.version, hardware: hardware.assumption,
      surroundings: { policy.surroundings(in: $0) })
    var frames = MessageFrames()
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      // Reads all available input before handling any of it: a later message may cancel a request.
      if !hasInput(within: 0) || frames.byteCount > Self.mostBytes {
        if let status = try answer(&frames, &server) { return status }
        // No input is pending: check the documents that have changed.
        if !hasInput(within: Self.pause) { try send(server.findings()) }
      }
      let count = unsafe Glibc.read(0, &block, block.count)
      if count > 0 {
        frames.append(block[..<count])
      } else if count == 0 {
        // 1 without the `exit` notification of the protocol.
        return try answer(&frames, &server) ?? 1
      } else if errno != EINTR, errno != EAGAIN {
        throw CommandFailure(
          ExitStatus.unavailable, "standard input cannot be read: \(systemMessage(errno))")
      }
    }
  }

  /// Handles the complete messages. Returns the exit status after `exit`, otherwise `nil`.
  private func answer(
    _ frames: inout MessageFrames, _ server: inout LanguageServer
  ) throws(CommandFailure) -> Int32? {
    var messages: [[UInt8]] = []
    while let frame = frames.next() {
      switch frame {
      case .message(let message): messages.append(message)
      case .malformed(let text):
        try send(server.receive(messages) + [LanguageServer.malformed(text)])
        messages = []
      }
    }
    try send(server.receive(messages))
    return server.exitStatus
  }

  /// Milliseconds without input before documents are checked: about the time between two keys of a
  /// quick typist, so that requests are handled first.
  private static let pause: Int32 = 60
  /// Bytes of input that are collected before they are handled.
  private static let mostBytes = 1 << 24

  private func hasInput(within milliseconds: Int32) -> Bool {
    var wait = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&wait, 1, milliseconds) > 0
  }

  private func send(_ messages: [JSONText]) throws(CommandFailure) {
    for message in messages { try output(MessageFrames.framed(message.compact)) }
  }
}
