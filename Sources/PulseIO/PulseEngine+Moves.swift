import CPulse
import RenderHost

/// Streams that the server has moved, and the questions about them. Used by the engine's thread.
struct PulseMoves {
  /// A stream that was moved to a device that is refused.
  fileprivate var loss: (AudioDevice.Direction, HardwareError)?
  /// Streams that were moved away from the requested device, for a reason that is not known yet.
  fileprivate var unexplained: [AudioDevice.Direction: String] = [:]
  /// Requested devices that were replaced, to be looked for again.
  fileprivate var missed: [AudioDevice.Direction: String] = [:]
  fileprivate var nextLook: UInt64 = 0

  /// The time between two looks for replaced devices, in nanoseconds.
  fileprivate static let interval: UInt64 = 500_000_000

  mutating func takeLoss() -> (AudioDevice.Direction, HardwareError)? {
    defer { loss = nil }
    return loss
  }

  /// Notes a new stream, which may be on another device than the requested one.
  mutating func note(_ side: AudioDevice.Direction, on device: AudioDevice, asked name: String?) {
    let isOther = name.map { !$0.hasPrefix("@") && !device.answers(to: $0) } ?? false
    missed[side] = isOther ? name : nil
    unexplained[side] = nil
  }
}

extension PulseEngine {
  /// Notes that the server moved a stream. Called in a callback of the stream, which may neither
  /// query the server nor close a stream.
  func moved(_ handle: OpaquePointer) {
    let sides: [AudioDevice.Direction] = [.sink, .source]
    guard let side = sides.first(where: { unsafe stream($0)?.handle == handle }) else { return }
    let name = unsafe text(pa_stream_get_device_name(handle))
    if let error = refusal(of: name, side) {
      moves.loss = (side, error)
    } else if policy.isAwaited, let asked = opening.name(side), !asked.hasPrefix("@"),
      asked != name, stream(side)?.device.answers(to: asked) ?? false
    {
      moves.unexplained[side] = name
    } else {
      log.post(.moved(side, to: name))
    }
  }

  /// Why the device that a stream was moved to is refused; `nil` where it is not.
  private func refusal(of name: String, _ side: AudioDevice.Direction) -> HardwareError? {
    switch side {
    case .sink:
      guard name == AudioDevice.dummySinkName, !opening.accepts(dummySink: name) else { return nil }
      return .lost(
        .sink, link?.playback?.device.name ?? name, "is gone, and the server has only a dummy")
    case .source:
      guard let sink = link?.playback?.deviceName, name == sink + ".monitor",
        opening.name(.source) != name
      else { return nil }
      return .lost(
        .source, link?.capture?.device.name ?? name,
        "is gone, and the server would have '\(name)' in its place, which hears what the patch plays"
      )
    }
  }

  /// Finds out why streams were moved, and moves them back to requested devices that have returned.
  func followMoves() {
    guard !moves.unexplained.isEmpty || !moves.missed.isEmpty, let link else { return }
    let now = monotonicNanoseconds()
    guard !moves.unexplained.isEmpty || now >= moves.nextLook else { return }
    moves.nextLook = now + PulseMoves.interval
    let devices: [AudioDevice]
    do throws(HardwareError) { devices = try link.connection.devices() } catch { return }
    explain(devices)
    for (side, asked) in moves.missed {
      guard let stream = stream(side), absence(of: side) == nil,
        let device = devices.first(where: { $0.direction == side && $0.answers(to: asked) })
      else { continue }
      moves.missed[side] = nil
      let index = unsafe pa_stream_get_index(stream.handle)
      unsafe release(
        side == .sink
          ? pa_context_move_sink_input_by_name(
            link.connection.context, index, device.name, nil, nil)
          : pa_context_move_source_output_by_name(
            link.connection.context, index, device.name, nil, nil))
    }
  }

  /// Decides about moved streams: where the requested device is gone, the engine waits for it or
  /// accepts the replacement; where it is still there, a user moved the stream.
  private func explain(_ devices: [AudioDevice]) {
    for (side, name) in moves.unexplained {
      let asked = opening.name(side) ?? ""
      let isThere = devices.contains { $0.direction == side && $0.answers(to: asked) }
      if isThere || policy.takesDefault {
        log.post(.moved(side, to: name))
        if !isThere { moves.missed[side] = asked }
      } else {
        moves.loss = (side, .lost(side, asked, "is gone"))
      }
    }
    moves.unexplained = [:]
  }
}
