import PatchSyntax
import RenderHost

/// Waits for a server and a device at the start of a patch.
final class StartWait {
  private let signals: Signals
  private let manager: ServiceManager?
  /// The `--wait-device` of the command line.
  private let deviceWait: DeviceWait?
  private let appearance: any Appearance
  private let quiet: Bool
  private let status: RunStatus
  /// The files whose change triggers a new reading of the patch.
  private let files: FileWatch?
  private var lastMessage = ""

  init(
    signals: Signals, manager: ServiceManager?, deviceWait: DeviceWait?,
    appearance: any Appearance,
    quiet: Bool, status: RunStatus, files: FileWatch?
  ) {
    self.signals = signals
    self.manager = manager
    self.deviceWait = deviceWait
    self.appearance = appearance
    self.quiet = quiet
    self.status = status
    self.files = files
  }

  enum Outcome {
    case opened(any LiveHardware)
    /// The patch has to be read again first.
    case reload
  }

  /// The interval between attempts in milliseconds.
  private static let interval: Int32 = 250

  /// Tries to open a device until one opens or the time limit has passed. Reports once what is
  /// missing.
  ///
  /// - Parameters:
  ///   - decisions: The session policy of the patch.
  ///   - mayAppear: Whether a missing device may appear later. A pipe does not.
  /// - Throws: The failure of the last attempt, or the end of the command after a signal.
  func open(
    _ decisions: SessionPolicy, mayAppear: Bool,
    _ attempt: (_ isAwaited: (String) -> Bool) throws(HardwareError) -> any LiveHardware
  ) throws(CommandFailure) -> Outcome {
    let decisions = decisions.waiting(deviceWait)
    let limit =
      decisions.onDeviceLoss == .exit ? 0 : decisions.deviceWait ?? .infinity
    let begin = monotonicNanoseconds()
    while true {
      do throws(HardwareError) {
        return .opened(
          try attempt { whom in
            say("note", "waiting for \(whom)")
            return signals.interruptedBy == nil
          })
      } catch {
        if error.code == .cancelled { throw .reported(ExitStatus.success) }
        let waited = Double(monotonicNanoseconds() - begin) / 1e9
        guard mayAppear, error.code.canPass, waited < limit else {
          throw CommandFailure(
            error.code == .invalidRequest ? ExitStatus.wrongUsage : ExitStatus.unavailable,
            error.message, help: [error.help])
        }
        let limitText = limit.isFinite ? ", for \(fixed(limit, 1)) s at the most" : ""
        say(
          "warning", "\(error.message): the patch waits for it\(limitText)",
          help: [error.help, "'--wait-device=0' does not wait"])
      }
      manager?.keepAlive()
      signals.wait(milliseconds: Self.interval)
      if signals.interruptedBy != nil { throw .reported(ExitStatus.success) }
      if signals.takeNewTake(), !quiet {
        appearance.report("note", "nothing is recorded yet: there is no take to begin anew")
      }
      let isChanged = files?.takeChange() == true
      if signals.takeReload() || isChanged { return .reload }
    }
  }

  private func say(_ kind: String, _ text: String, help: [String] = []) {
    status.note(.waiting(text))
    guard text != lastMessage else { return }
    lastMessage = text
    if !quiet || kind == "warning" { appearance.report(kind, text, help: help) }
    manager?.waits(text)
  }
}

extension HardwareError.Code {
  /// Whether the error may pass with time.
  fileprivate var canPass: Bool {
    switch self {
    case .connectionRefused, .noSuchDevice, .noDevice, .connectionLost, .deviceLost: true
    case .formatNotSupported, .invalidRequest, .cancelled, .systemError: false
    }
  }
}
