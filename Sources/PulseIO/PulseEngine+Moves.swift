import CPulse
import RenderHost

/// Streams that the server has moved, and what is still to be found out about it. Of the engine's
/// thread.
struct PulseMoves {
  /// A device to which a stream has been moved that is not taken.
  fileprivate var loss: (AudioDevice.Direction, HardwareError)?
  /// Where streams have been moved away from the device that was asked for: why is to be asked.
  fileprivate var unexplained: [AudioDevice.Direction: String] = [:]
  /// The devices that were asked for and are not played on: looked for again and again.
  fileprivate var missed: [AudioDevice.Direction: String] = [:]
  fileprivate var nextLook: UInt64 = 0

  /// From one look for a missed device to the next, in nanoseconds.
  fileprivate static let interval: UInt64 = 500_000_000

  mutating func takeLoss() -> (AudioDevice.Direction, HardwareError)? {
    defer { loss = nil }
    return loss
  }

  /// A stream has been opened anew, maybe on another device than was asked for.
  mutating func note(_ side: AudioDevice.Direction, on device: AudioDevice, asked name: String?) {
    let isOther = name.map { !$0.hasPrefix("@") && !device.answers(to: $0) } ?? false
    missed[side] = isOther ? name : nil
    unexplained[side] = nil
  }
}

extension PulseEngine {
  /// The server has moved a stream to another device. Called in the stream's own callback, where no
  /// question can be asked and nothing closed.
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

  /// Why a device is not taken to which the server has moved a stream; `nil` where it is.
  private func refusal(of name: String, _ side: AudioDevice.Direction) -> HardwareError? {
    switch side {
    case .sink:
      guard name == AudioDevice.standInName, !opening.accepts(standIn: name) else { return nil }
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

  /// Finds out why streams have been moved, and moves them back where that is wanted.
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
      unsafe letGo(
        side == .sink
          ? pa_context_move_sink_input_by_name(
            link.connection.context, index, device.name, nil, nil)
          : pa_context_move_source_output_by_name(
            link.connection.context, index, device.name, nil, nil))
    }
  }

  /// A device that was asked for and is gone is waited for, or replaced; one that is still there has been
  /// left by somebody's hand.
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
