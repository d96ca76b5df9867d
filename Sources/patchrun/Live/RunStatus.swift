import RenderHost
import Synchronization

/// The status line of a run, for SIGUSR1. Any thread.
final class RunStatus: Sendable {
  enum Phase: Equatable {
    case starting
    /// Waiting, with the reason.
    case waiting(String)
    case playing
    case reloading
    case stopping
  }

  private struct State {
    var phase = Phase.starting
    var since: UInt64
    var session: RenderSession?
    var hardware: (any LiveHardware)?
  }

  private let state: Mutex<State>

  init() { state = Mutex(State(since: monotonicNanoseconds())) }

  /// Sets the phase.
  func note(_ phase: Phase) {
    state.withLock { state in
      guard state.phase != phase else { return }
      state.phase = phase
      state.since = monotonicNanoseconds()
    }
  }

  /// Sets the session that plays.
  func plays(_ session: RenderSession, on hardware: any LiveHardware) {
    state.withLock { state in
      state.session = session
      state.hardware = hardware
    }
    note(.playing)
  }

  var line: String {
    let now = state.withLock { $0 }
    let seconds = Double(monotonicNanoseconds() - now.since) / 1e9
    var parts: [String] = []
    switch now.phase {
    case .starting: parts.append("starting")
    case .waiting(let what): parts.append("waiting, for \(fixed(seconds, 1)) s now: \(what)")
    case .playing: parts.append(now.session?.isPausing == true ? "paused" : "playing")
    case .reloading: parts.append("reading the patch again")
    case .stopping: parts.append("stopping")
    }
    if let session = now.session, let hardware = now.hardware {
      let rate = session.configuration.sampleRate
      let end = session.endFrame.map { " of \(fixed(Double($0) / rate, 1))" } ?? ""
      parts.append("\(fixed(Double(session.renderedFrames) / rate, 1))\(end) s")
      parts.append("load \(fixed(session.load * 100, 1)) %")
      let statistics = hardware.statistics
      parts.append(counted(statistics.underruns + statistics.overruns, "xrun"))
      if let raised = hardware.raisedLatency {
        parts.append("latency raised by \(fixed(raised.surplus * 1000, 1)) ms")
      }
      let names = [hardware.grant.outputName, hardware.grant.inputName].filter { !$0.isEmpty }
      if !names.isEmpty { parts.append("on " + names.joined(separator: " and ")) }
    }
    return "status: " + parts.joined(separator: ", ")
  }
}
