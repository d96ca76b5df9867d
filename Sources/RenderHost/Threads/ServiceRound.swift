import CShims
import RenderCore
import Synchronization

/// One call of every service before a slice, by the threads that render: each service is called by one of them.
final class ServiceRound: CrewErrand, @unchecked Sendable {
  // `@unchecked Sendable`: what is not atomic and has no lock is written while no other thread works.

  /// What has come of a service's call.
  struct Outcome {
    let number: Int
    var failure: ServiceError?
    var events: [ServiceEvent] = []
  }

  private var services: [any RenderService] = []
  private var frameCount = 0
  /// How many services a thread takes at once.
  private var stretch = 1
  /// How the thread that pulls computes with denormals: so do the others, and get the same bits.
  private var denormals: UInt32 = 0
  private let next = Atomic<Int>(0)
  private let outcomes = Mutex<[Outcome]>([])

  /// Gets ready for a call of services.
  func begin(_ services: [any RenderService], inStepFor frameCount: Int, threadCount: Int) {
    self.services = services
    self.frameCount = frameCount
    stretch = max(1, services.count / (8 * threadCount))
    denormals = shims_denormals_off()
    shims_denormals_restore(denormals)
    next.store(0, ordering: .relaxed)
  }

  func work() {
    let services = services
    let previous = shims_denormals_off()
    shims_denormals_restore(denormals)
    defer { shims_denormals_restore(previous) }
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

  /// What there is to tell, in the order of the services.
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
  /// Calls services before the slice that is pulled next, in this thread, which is the one that pulls, and those
  /// that help it.
  func serve(_ services: [any RenderService], inStepFor frameCount: Int) -> [ServiceRound.Outcome] {
    guard !services.isEmpty else { return [] }
    round.begin(services, inStepFor: frameCount, threadCount: configuration.threadCount)
    if let helpers, services.count > 1 { helpers.crew.share(round) } else { round.work() }
    return round.end()
  }
}
