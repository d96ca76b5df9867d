public import AudioTypes
import Glibc
import RenderCore

/// The meters of the matrix mixer: of channels, which are measured, and of crosspoints and the
/// master, which are computed.
///
/// Computed meters are made when they are read, from the meters of channels and the present levels,
/// so that 4096 of them cost nothing. The pre meter of a crosspoint shows its input channel after
/// its volume, the post meter that times the level of the crosspoint. The pre meter of the master
/// shows the loudest output after its own switch and volume, the post meter the loudest output
/// after the master volume.
extension MatrixMixer {
  static func meters(_ scope: Scope) -> [ParameterInfo] {
    let kinds: [(key: String, constant: String, what: String)] = [
      ("preAveragePower", "PreAveragePower", "average power before"),
      ("prePeakHoldLevel", "PrePeakHoldLevel", "held peak before"),
      ("postAveragePower", "PostAveragePower", "average power after"),
      ("postPeakHoldLevel", "PostPeakHoldLevel", "held peak after"),
    ]
    let (fader, element, proposed) =
      switch scope {
      case .input:
        ("the volume", "a channel, counted through all inputs", "range, floor and ballistics")
      case .output:
        (
          "the volume and the master", "a channel, counted through all outputs",
          "range, floor and ballistics"
        )
      case .global:
        (
          "the level",
          "a crosspoint, 65536 times the input and the output, or the master, 4294967295",
          "that it is worked out from the channels' meters and the level as it stands; that the master "
            + "has the loudest of the outputs"
        )
      }
    return [false, true].flatMap { isLinear in
      kinds.enumerated().map { index, kind in
        let end = isLinear ? "Linear" : ""
        return ParameterInfo(
          id: Parameter.meters[index + (isLinear ? 4 : 0)], key: kind.key + end,
          constant: "kMatrixMixerParam_\(kind.constant)\(end)", scope: scope,
          unit: isLinear ? .linearGain : .decibels, range: isLinear ? 0...100 : -120...40,
          defaultValue: isLinear ? 0 : -120, isReadOnly: true,
          summary: "The \(kind.what) \(fader)" + (isLinear ? ", linear" : "")
            + "; the element is \(element).",
          proposed: proposed)
      }
    }
  }

  public static func derivedParameter(
    _ parameter: UInt32, _ scope: Scope, _ element: Int, in configuration: () -> UnitConfiguration,
    controls: ControlLayout
  ) -> Float? {
    guard scope == .global, let index = Parameter.meters.firstIndex(of: parameter) else {
      return nil
    }
    let reader = MeterReader(controls: controls, isBehind: index % 4 >= 2, isPeak: index % 2 == 1)
    let linear: Float
    if element == masterElement {
      linear = reader.master(in: configuration())
    } else {
      guard element >= 0, element >> 16 < mostChannels, element & 0xFFFF < mostChannels else {
        return nil
      }
      linear = reader.crosspoint(element)
    }
    guard index < 4 else { return linear }
    return linear > 0 ? max(LevelMeters.floor, 20 * log10(linear)) : LevelMeters.floor
  }
}

/// Reads the linear meters of channels, and computes others from them.
private struct MeterReader {
  let controls: ControlLayout
  let isBehind: Bool
  let isPeak: Bool

  private func level(_ scope: Scope, _ channel: Int, isBehind: Bool) -> Float {
    guard let first = controls.slot(PropertyPlace(.meterClipping, .global, 0)) else { return 0 }
    return controls.block[
      first + MatrixControls.meters(scope == .output, channel) + 4 + (isBehind ? 2 : 0)
        + (isPeak ? 1 : 0)]
  }

  private func gain(_ scope: Scope, _ element: Int) -> Float {
    guard
      let slot = MatrixMixer.controlSlot(
        of: MatrixMixer.Parameter.volume, scope, element, in: controls)
    else { return 0 }
    return abs(controls.block[slot])
  }

  func crosspoint(_ element: Int) -> Float {
    level(.input, element >> 16, isBehind: true) * (isBehind ? gain(.global, element) : 1)
  }

  func master(in configuration: UnitConfiguration) -> Float {
    var loudest: Float = 0
    for bus in configuration.outputs.indices {
      let isOn = configuration.parameter(MatrixMixer.Parameter.enable, .output, bus) != 0
      for channel in MatrixMixer.channelElements(.output, bus, in: configuration) ?? 0..<0 {
        let level = level(.output, channel, isBehind: isBehind)
        loudest = max(loudest, isBehind ? level : isOn ? level * gain(.output, channel) : 0)
      }
    }
    return loudest
  }
}
