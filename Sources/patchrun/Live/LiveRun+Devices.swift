import Control
import PatchGraph
import PatchSyntax
import RenderHost

/// Device events, and what the session policy does about them.
extension LiveRun {
  var policy: SessionPolicy { stage.live.policy.waiting(deviceWait) }

  func takePolicy() {
    let policy = policy
    hardware.pausesWhenInterrupted = policy.onInterruption == .pause
    hardware.onDeviceLoss = policy.deviceLoss
  }

  /// Ends the run if a device has been lost for longer than the policy allows.
  func endOfWait() -> End? {
    guard !lost.isEmpty else { return nil }
    let limit = policy.onDeviceLoss == .exit ? 0 : policy.deviceWait ?? .infinity
    guard let error = lost.overdue(limit, at: monotonicNanoseconds()) else { return nil }
    return .failed(
      CommandFailure(
        ExitStatus.failedRunning,
        limit > 0
          ? "\(error.message), and was not there again within \(fixed(limit, 1)) s" : error.message,
        help: [error.help]))
  }

  func lose(_ side: AudioDevice.Direction, _ error: HardwareError, _ showsLine: Bool) {
    noteStall(error.message)
    lost.lose(side, error, at: monotonicNanoseconds())
    // If the loss ends the run, the error is reported at the end.
    guard policy.onDeviceLoss != .exit else { return }
    let isUnheard = side == .sink || !hardware.wantsOutput
    let text =
      error.message + ": "
      + (isUnheard
        ? policy.waitingWords : "the patch hears silence until it is there")
    control?.noteDevice(
      ControlDirection(side), isLost: true, isWaiting: true, error.message)
    manager?.waits(text)
    status.note(.waiting(error.message))
    clear(showsLine)
    appearance.report("warning", text)
  }

  func find(_ side: AudioDevice.Direction, _ name: String, _ showsLine: Bool) {
    guard let seconds = lost.find(side, at: monotonicNanoseconds()) else { return }
    let text = "the \(side.rawValue) '\(name)' is there, after \(fixed(seconds, 1)) s"
    control?.noteDevice(
      ControlDirection(side), isLost: false, isWaiting: !lost.isEmpty, text)
    if lost.isEmpty { manager?.hasWaited() }
    status.note(lost.phase)
    say(text + ": the patch is heard again", showsLine)
  }

  /// Applies the session policy to hardware events. Returns the end of the run if one of them ends
  /// it.
  func handle(_ events: [HardwareEvent], _ showsLine: Bool) -> End? {
    var end: End?
    for event in events {
      switch event {
      case .moved(let direction, let name):
        noteStall("the \(direction.rawValue) became '\(name)'")
        end = moved(direction, to: name, showsLine) ?? end
      case .interrupted(let cause):
        if case .suspended(let direction) = cause {
          noteStall("the \(direction.rawValue) was suspended")
        } else {
          noteStall("the sound server asked for silence")
        }
        end = interrupted(by: cause, showsLine) ?? end
      case .resumed:
        control?.noteInterruption(begins: false)
        say("the interruption is over: the patch plays on", showsLine)
      case .ranDry(var underrun):
        if underrun.cause == .render, let part = stage.meter.costliest {
          underrun.reason += "; most of it \(part)"
        }
        control?.note(underrun)
        if let text = underruns.take(underrun) { say(text, showsLine) }
      case .lost(let side, let error): lose(side, error, showsLine)
      case .returned(let side, let name): find(side, name, showsLine)
      case .noted(let text): say(text, showsLine)
      case .ended(let reason):
        say(reason + ": the patch ends", showsLine)
        end = .over(reason)
      }
    }
    return end
  }

  func moved(
    _ direction: AudioDevice.Direction, to name: String, _ showsLine: Bool
  ) -> End? {
    control?.noteRoute(ControlDirection(direction), name)
    let text = "the \(direction.rawValue) is now '\(name)'"
    switch stage.live.policy.onRouteChange {
    case .follow:
      say(text, showsLine)
      return nil
    case .restart:
      say(text + ": the patch begins again there", showsLine)
      if direction == .sink { route.sink = name } else { route.source = name }
      return .restart(stage.live.reading)
    case .stop:
      say(text + ": the patch ends", showsLine)
      return .decided
    }
  }

  func interrupted(by cause: HardwareInterruption, _ showsLine: Bool) -> End? {
    let text =
      switch cause {
      case .suspended(let direction): "the \(direction.rawValue) has been suspended"
      case .asked: "the sound server asks for silence"
      }
    switch stage.live.policy.onInterruption {
    case .continue: return nil
    case .pause:
      control?.noteInterruption(begins: true)
      say(text + ": the patch pauses", showsLine)
      return nil
    case .stop:
      control?.noteInterruption(begins: true)
      say(text + ": the patch ends", showsLine)
      return .decided
    }
  }
}

extension ControlDirection {
  init(_ direction: AudioDevice.Direction) { self = direction == .sink ? .sink : .source }
}

extension LiveHardware {
  /// Whether the hardware has an output.
  fileprivate var wantsOutput: Bool { grant.outputFormat != nil }
}
