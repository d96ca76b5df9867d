import AudioGraphs
public import PatchGraph
public import RenderCore

/// The updates of a timeline in an offline render. Each is planned shortly before its frame: the plans and the
/// sources of ten thousand triggers would fill the memory, and each would be listed at each of the others.
extension LivePatch {
  /// Plans the updates of the first slices.
  ///
  /// - Throws: ``Refusal`` where an update cannot be made, such as for a file that has gone since the patch
  ///   was built.
  public func planFirstUpdates() throws(Refusal) { try planSoon() }

  /// Plans the updates of the next slices. Called after each slice.
  ///
  /// - Throws: What ends the render, as `planFirstUpdates()`.
  public func planNextUpdates() throws(ServiceError) {
    do throws(Refusal) { try planSoon() } catch { throw ServiceError(error.message) }
  }

  private func planSoon() throws(Refusal) {
    let slice = Double(graph.grant.ioBufferFrames) / graph.grant.sampleRate
    // A converter between two rates pulls some frames more than a slice has.
    try planUpdates(upTo: now + 2 * slice + 0.1)
  }

  /// Makes all updates without rendering: the graph has its whole `duration` then, and is of no other use.
  ///
  /// - Throws: As `planFirstUpdates()`.
  func passUpdates() throws(Refusal) {
    while let time = nextUpdate {
      try planUpdates(upTo: time)
      graph.passPlannedChanges()
    }
  }
}

extension BuiltPatch {
  /// How many frames of the device the patch plays by itself, with all updates of its timeline; `nil` for one
  /// without an end. Its graph is initialized.
  ///
  /// - Parameters:
  ///   - request: The request that the patch was built for, which finds out what updates make of it.
  ///   - rate: That of the device, in hertz.
  public func frameCount(
    _ request: PatchRender.Request, at rate: Double
  ) throws(PatchRender.Failure) -> Int? {
    // A graph that is changed later has only the duration that it has by itself.
    guard !updates.isEmpty || request.change != nil else { return graph?.duration }
    return try PatchRender.playingTime(request).map { Int(($0 * rate).rounded()) }
  }
}
