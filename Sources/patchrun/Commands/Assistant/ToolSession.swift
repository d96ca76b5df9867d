import PatchSyntax
import RenderHost
import ToolServer

/// Serves the requests of an assistant: runs one tool call after the other, and reads further
/// messages meanwhile.
struct ToolSession {
  /// The longest line of input in bytes. A longer one is dropped.
  private static let longestLine = 1 << 26
  /// How many bytes of a command's output are kept; more is read and dropped.
  private static let mostBytes = 1 << 22

  private let server: ToolServer
  /// Seconds that a call may take.
  private let limit: Double
  private let send: (JSONText) -> Bool
  private var bytes: [UInt8] = []
  private var isInputOpen = true
  private var waiting: [ToolServer.Call] = []
  private var cancelled: Set<JSONText> = []
  /// The identifier of the call that is running.
  private var current: JSONText?
  /// Whether standard output cannot be written any more.
  private var isOutputClosed = false

  init(server: ToolServer, limit: Double, send: @escaping (JSONText) -> Bool) {
    self.server = server
    self.limit = limit
    self.send = send
  }

  /// Serves until standard input ends and every call has been answered.
  mutating func serve() throws(CommandFailure) -> Int32 {
    while isInputOpen || !waiting.isEmpty {
      if isOutputClosed {
        throw CommandFailure(ExitStatus.unavailable, "standard output cannot be used")
      }
      guard !waiting.isEmpty else {
        read()
        continue
      }
      let call = waiting.removeFirst()
      if cancelled.remove(call.identifier) == nil { run(call) }
    }
    return ExitStatus.success
  }

  private mutating func answer(_ text: JSONText) { if !send(text) { isOutputClosed = true } }

  // MARK: Standard input

  private mutating func read() {
    guard let some = OwnCommand.read(0) else { return }
    bytes += some
    if some.isEmpty {
      isInputOpen = false
      // The last line may lack its line break.
      if !bytes.isEmpty { bytes.append(UInt8(ascii: "\n")) }
    }
    while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
      let line = Array(bytes[..<end])
      bytes.removeFirst(end + 1)
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x0d || $0 == 0x09 }) { continue }
      switch server.receive(line) {
      case .nothing: break
      case .answer(let text): answer(text)
      case .call(let call): waiting.append(call)
      case .cancel(let identifier):
        // A call that has ended cannot be cancelled.
        if identifier == current || waiting.contains(where: { $0.identifier == identifier }) {
          cancelled.insert(identifier)
        }
      }
    }
    if bytes.count > Self.longestLine { bytes = [] }
  }

  // MARK: Commands

  private mutating func run(_ call: ToolServer.Call) {
    guard var command = OwnCommand(call.command) else {
      answer(server.answer(to: call, failedBy: "patchrun cannot be started once more"))
      return
    }
    current = call.identifier
    defer { current = nil }
    let deadline = monotonicSeconds() + limit
    var outputBytes: [UInt8] = []
    var messageBytes: [UInt8] = []
    var (hasMoreOutput, hasMoreMessages) = (true, true)
    var reason: String?
    while hasMoreOutput || hasMoreMessages {
      let left = deadline - monotonicSeconds()
      let ready = OwnCommand.readable(
        [
          hasMoreOutput ? command.output : -1, hasMoreMessages ? command.messages : -1,
          isInputOpen ? 0 : -1,
        ], within: left)
      if left <= 0 {
        reason =
          "this took longer than \(fixed(limit, limit < 10 ? 1 : 0)) s, and was ended: render less, or simplify the patch"
      } else if cancelled.remove(call.identifier) != nil || isOutputClosed {
        reason = ""
      }
      if reason != nil {
        command.kill()
        break
      }
      if ready[2] { read() }
      if ready[0] { hasMoreOutput = Self.take(command.output, &outputBytes) }
      if ready[1] { hasMoreMessages = Self.take(command.messages, &messageBytes) }
    }
    let status = command.wait()
    // A cancelled call gets no answer.
    if reason == "" { return }
    if let reason {
      answer(server.answer(to: call, failedBy: reason))
      return
    }
    answer(
      server.answer(
        to: call,
        .init(
          status: status, output: String(decoding: outputBytes, as: UTF8.self),
          messages: String(decoding: messageBytes, as: UTF8.self))))
  }

  /// Reads the bytes that are available. Returns whether more may come.
  private static func take(_ descriptor: Int32, _ bytes: inout [UInt8]) -> Bool {
    guard let some = OwnCommand.read(descriptor) else { return true }
    if bytes.count < mostBytes { bytes += some }
    return !some.isEmpty
  }

  private func monotonicSeconds() -> Double { Double(monotonicNanoseconds()) / 1e9 }
}
