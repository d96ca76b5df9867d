import RenderCore

/// The passes of the part of a file that is played, from its beginning to its end, as often as it
/// is played: in frames of the bus, counted from the first of all.
struct FilePasses: BitwiseCopyable {
  /// The length of the part, in frames of the file.
  let length: Int
  private let fileRate: Double
  private let busRate: Double

  init(length: Int, fileRate: Double, busRate: Double) {
    self.length = length
    self.fileRate = fileRate
    self.busRate = busRate
  }

  /// Where a pass ends; passes are counted from 1, and 0 gives 0. As many frames as the converter
  /// makes.
  @_noLocks
  func end(_ pass: Int) -> Int {
    if fileRate == busRate { return pass * length }
    return Int(renderFloor(Double(pass * length) * busRate / fileRate + 0.5))
  }

  /// The pass of a frame, counted from 1. The end of a pass belongs to it.
  @_noLocks
  func pass(at frame: Int) -> Int {
    var pass = Int(Double(frame) / (Double(length) * busRate / fileRate))
    if pass < 1 { pass = 1 }
    while end(pass) < frame { pass += 1 }
    while pass > 1 && end(pass - 1) >= frame { pass -= 1 }
    return pass
  }

  /// Frames from `frame` to the end of its pass.
  func rest(_ frame: Int) -> Int { end(pass(at: frame)) - frame }

  /// Where a service begins.
  struct Start {
    /// In frames of the bus.
    var frame = 0
    /// The same; below 0 where the file has not begun.
    var position = 0
    /// In frames of the part.
    var offset = 0
  }

  /// The beginning of the part. A source that replaces another begins a little before the place
  /// that the other will have then: a converter needs some frames to settle.
  ///
  /// - Parameters:
  ///   - loops: Whether it goes on beyond the end of the part.
  ///   - wait: Frames of the bus before the file begins.
  func start(after before: SourceContinuation?, loops: Bool, wait: Int) -> Start {
    guard let before else { return Start(position: -wait) }
    let now = before.clock.position * busRate
    if now < 0 { return Start(position: Int(now.rounded())) }
    var frame = max(0, Int(now + max(0, before.delay) * busRate - busRate / 20))
    if !loops { frame = min(frame, end(pass(at: Int(now)))) }
    let passStart = end(pass(at: frame) - 1)
    let offset = min(
      length, max(0, Int((Double(frame - passStart) * fileRate / busRate).rounded())))
    return Start(frame: frame, position: frame, offset: offset)
  }
}
