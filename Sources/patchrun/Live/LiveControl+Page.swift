import Control
import Diagnostics
import FileAccess
import PatchGraph
import PatchSyntax
import RenderHost
import RenderTaps

/// Further requests of the panel's page.
extension LiveControl {
  func shares() async -> ControlShares {
    let stage = stage
    let (nanoseconds, taken) = stage.meter.taken(until: monotonicNanoseconds())
    let all = Double(taken.values.reduce(0, +))
    guard let document = stage.live.reading.document, nanoseconds > 0, all > 0 else {
      return ControlShares(seconds: 0, shares: [])
    }
    let names = PartNames(document)
    var sums: [ControlShares.Part: UInt64] = [:]
    for (part, time) in taken where time > 0 {
      let named = names.part(part)
      let key: ControlShares.Part =
        switch named.kind {
        case .unit: .node(named.name)
        case .callback: .callback(named.name)
        case .tap: .tap(named.name)
        case .conversion, .output: .conversion
        }
      sums[key, default: 0] += time
    }
    let shares = sums.map { part, time in
      ControlShares.Share(
        part: part, share: Double(time) / all, load: Double(time) / Double(nanoseconds))
    }
    return ControlShares(
      seconds: Double(nanoseconds) / 1e9, shares: shares.sorted { $0.share > $1.share })
  }

  func takes() async -> [ControlTake] {
    recordings.written.enumerated().map { index, take in
      ControlTake(
        number: index + 1, file: take.path,
        duration: Double(take.frameCount) / max(1, take.sampleRate), frames: take.frameCount)
    }
  }

  func openTake(_ number: Int) async -> (any ControlFile)? {
    let written = recordings.written
    guard written.indices.contains(number - 1) else { return nil }
    return TakeFile(written[number - 1])
  }

  func answers(
    to requests: [ControlLanguageRequest], about text: String, through entrance: ControlEntrance
  ) async -> [JSONText] {
    let live = stage.live
    let grant = stage.hardware.grant
    return drafts.answers(
      to: requests, about: text, named: live.reading.source.name,
      in: live.surroundingsOfDrafts, on: grant)
  }
}

/// The file of a recording, while it is still the file that was written.
private final class TakeFile: ControlFile {
  private let file: OpenedFile
  let byteCount: Int

  init?(_ take: WrittenTake) {
    do throws(FileRefusal) {
      let file = try FilePolicy.user.open(take.path)
      guard FileVersion(of: file.descriptor) == take.version else { return nil }
      byteCount = file.size
      self.file = file
    } catch {
      return nil
    }
  }

  func bytes(at place: Int, count: Int) -> [UInt8]? { try? file.read(at: place, count: count) }
}
