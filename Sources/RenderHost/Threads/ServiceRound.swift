import RenderCore
import Synchronization

/// Calls every service once before a slice. The rendering threads share the calls.
final class ServiceRound: CrewJob, @unchecked Sendable {
  // `@unchecked Sendable`: the properties that are neither atomic nor locked are written while no
  // other thread works.

  /// The result of one service's call.
  struct Outcome {
    let number: Int
    var failure: ServiceError?
    var events: [ServiceEvent] = []
  }

  private var services: [any RenderService] = []
  private var frameCount = 0
  /// The number of services that a thread takes at once.
  private var stretch = 1
  /// The mode of the thread that pulls.
  private var denormals = DenormalMode.current
  private let next = Atomic<Int>(0)
  private let outcomes = Mutex<[Outcome]>([])

  /// Prepares one round of calls.
  func begin(_ services: [any RenderService], inStepFor frameCount: Int, threadCount: Int) {
    self.services = services
    self.frameCount = frameCount
    stretch = max(1, services.count / (8 * threadCount))
    denormals = .current
    next.store(0, ordering: .relaxed)
  }

  func work() { denormals.run(takeServices) }

  private func takeServices() {
    let services = services
    while true {
      let first = next.wrappingAdd(stretch, ordering: .relaxed).oldValue
      guard first < services.count else { return }
      for number in first..<min(first + stretch, services.count) { call(services[number], number) }
    }
  }

  private func call(_ service: any RenderService, _ number: Int) {
    var outcome = Outcome(number: number)
    do throws(ServiceError) {
      try service.service(inStepFor: frameCount)
      outcome.events = service.takeEvents()
      guard !outcome.events.isEmpty else { return }
    } catch {
      outcome.failure = error
    }
    outcomes.withLock { $0.append(outcome) }
  }

  /// The failures and events of the round, in the order of the services.
  func end() -> [Outcome] {
    services = []
    return outcomes.withLock { outcomes in
      guard !outcomes.isEmpty else { return [] }
      defer { outcomes = [] }
      return outcomes.sorted { $0.number < $1.number }
    }
  }
}

extension RenderSession {
  /// Calls the services before the next slice. Called by the thread that pulls; its helpers take a
  /// share, unless a clock times the pulls: they sleep then.
  func serve(_ services: [any RenderService], inStepFor frameCount: Int) -> [ServiceRound.Outcome] {
    guard !services.isEmpty else { return [] }
    round.begin(services, inStepFor: frameCount, threadCount: configuration.threadCount)
    if let helpers, !configuration.inRealTime, services.count > 1 {
      helpers.crew.share(round)
    } else {
      round.work()
    }
    return round.end()
  }
}
