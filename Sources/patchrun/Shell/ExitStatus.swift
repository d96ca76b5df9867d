/// The exit statuses of the program.
enum ExitStatus {
  static let success: Int32 = 0
  /// The patch has errors or denied warnings.
  static let wrongPatch: Int32 = 1
  static let wrongUsage: Int32 = 2
  /// A server, device, file or library cannot be used: nothing has begun.
  static let unavailable: Int32 = 3
  /// A failure during the work.
  static let failedRunning: Int32 = 4

  /// Ended by a signal: 130 for SIGINT.
  static func interrupted(by signal: Int32) -> Int32 { 128 + signal }
}

/// The failure of a command, with its exit status.
struct CommandFailure: Error, Equatable {
  var status: Int32
  /// A sentence that starts in lower case.
  var message: String
  /// What to do about it, one line each.
  var help: [String]
  /// Diagnostics to print before the message.
  var findings: String?

  init(_ status: Int32, _ message: String, help: [String] = []) {
    self.status = status
    self.message = message
    self.help = help.filter { !$0.isEmpty }
  }

  /// A failure that has been reported already.
  static func reported(_ status: Int32) -> CommandFailure { CommandFailure(status, "") }
}
