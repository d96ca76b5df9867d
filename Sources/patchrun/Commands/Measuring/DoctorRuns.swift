import Control
import PatchSyntax

/// Asks the running patches for their latency.
enum DoctorRuns {
  /// The timeout of an answer in seconds.
  private static let timeout = 2.0

  /// A finding for each patch whose control socket is in the folder.
  static func findings(in folder: ControlFolder = .standard) -> [DoctorFinding] {
    folder.liveNames().map { name in
      let client = ControlClient(socketPath: folder.socketPath(name))
      return finding(name, status(of: client))
    }
  }

  private static func status(of client: ControlClient) -> JSONValue? {
    guard let response = try? client.send(.init(.get, "/status"), within: timeout),
      response.isSuccess
    else { return nil }
    return try? readAnswer(response.body)
  }

  /// - Parameter status: The answer of `/status`; `nil` if there was none.
  static func finding(_ name: String, _ status: JSONValue?) -> DoctorFinding {
    let topic = "run \(name)"
    guard let status else {
      return DoctorFinding(
        topic: topic, state: .note, found: "it does not answer within \(fixed(timeout, 0)) s")
    }
    let xruns = (status["underruns"]?.integer ?? 0) + (status["overruns"]?.integer ?? 0)
    let causes = StatusText.causes(status["underrunCauses"])
    let state = "\(shown(status["state"])), \(counted(xruns, "xrun"))\(causes)"
    guard let raised = StatusText.raised(status["raisedLatency"]) else {
      return DoctorFinding(topic: topic, state: .ok, found: "\(state), latency as it was asked for")
    }
    return DoctorFinding(
      topic: topic, state: .warning, found: "\(state), \(raised)",
      cure: "'patchrun ctl watch --name \(name)' says why something runs dry; the manual's page "
        + "underruns.md says what helps")
  }
}
