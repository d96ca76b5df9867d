/// What the process says when it ends.
enum ExitStatus {
  static let success: Int32 = 0
  /// The patch is wrong, or has findings.
  static let wrongPatch: Int32 = 1
  static let wrongUsage: Int32 = 2
  /// No server, no device, no file, no library: nothing has begun.
  static let worldRefused: Int32 = 3
  /// Something failed on the way.
  static let failedRunning: Int32 = 4

  /// Ended by a signal: 130 for SIGINT.
  static func interrupted(by signal: Int32) -> Int32 { 128 + signal }
}

/// Why a command ends, and with what status.
struct CommandFailure: Error, Equatable {
  var status: Int32
  /// A sentence that starts in lower case.
  var message: String
  /// What to do about it, a line each.
  var help: [String]
  /// Diagnostics as they are to be printed, in front of the message.
  var findings: String?

  init(_ status: Int32, _ message: String, help: [String] = []) {
    self.status = status
    self.message = message
    self.help = help.filter { !$0.isEmpty }
  }

  /// Of what has been said already.
  static func reported(_ status: Int32) -> CommandFailure { CommandFailure(status, "") }
}
