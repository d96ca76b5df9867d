import PatchSyntax

/// The steps of a timeline that have not passed yet, for hosts that report passed steps.
struct TimelineProgress: Sendable {
  private struct Step: Sendable {
    /// When it ends, in seconds from the start.
    var end: Double
    /// The pointers of the values that it changes.
    var pointers: [String]
  }

  /// The steps that have not passed, the one that ends last first.
  private var steps: [Step] = []

  init(_ reading: PatchReader.Result, sampleRate: Double) {
    guard let document = reading.document else { return }
    let clock = TimelineClock(document, sampleRate: sampleRate)
    steps = document.timeline.compactMap { step in
      guard let end = TimelineFold.end(of: step, clock) else { return nil }
      let pointers =
        step.ramp?.path.map { [$0.value.description] }
        ?? step.triggers.first.map { _ in
          step.triggers.map { JSONPointer(["callbacks", $0.value]).description }
        }
        ?? step.update?.elements.compactMap { $0["path"]?.string } ?? []
      return Step(end: end, pointers: pointers)
    }.sorted { $0.end > $1.end }
  }

  /// Removes the steps that end by a time. Returns the pointers of the values that they have
  /// changed, each once; `nil` where no step ended.
  mutating func take(upTo seconds: Double) -> [String]? {
    guard let next = steps.last, next.end <= seconds else { return nil }
    var found: [String] = []
    while let step = steps.last, step.end <= seconds {
      found += step.pointers.filter { !found.contains($0) }
      steps.removeLast()
    }
    return found
  }
}
