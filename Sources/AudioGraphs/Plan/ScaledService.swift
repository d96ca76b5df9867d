import RenderCore

/// A service of a rate domain, for a host that counts frames of the device.
final class ScaledService: RenderService {
  private let service: any RenderService
  private let frames: @Sendable (Int) -> Int

  init(_ service: any RenderService, frames: @escaping @Sendable (Int) -> Int) {
    self.service = service
    self.frames = frames
  }

  func service(atLeast frameCount: Int) throws(ServiceError) {
    try service.service(atLeast: frames(frameCount))
  }

  func secondsToSpare(atLeast frameCount: Int) -> Double {
    service.secondsToSpare(atLeast: frames(frameCount))
  }

  func service(inStepFor frameCount: Int) throws(ServiceError) {
    try service.service(inStepFor: frames(frameCount))
  }

  func finish() throws(ServiceError) { try service.finish() }

  func abandon() { service.abandon() }

  var lostFrames: Int { service.lostFrames }

  func takeEvents() -> [ServiceEvent] { service.takeEvents() }

  func takeOngoingEvent() -> ServiceEvent? { service.takeOngoingEvent() }

  func noteGap(seconds: Double, ago: Double, cause: String) {
    service.noteGap(seconds: seconds, ago: ago, cause: cause)
  }
}
