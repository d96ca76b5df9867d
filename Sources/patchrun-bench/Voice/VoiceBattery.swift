import Foundation
import RenderCore
import TestSupport
import VoiceProcessing

/// Random conversations, each judged for our processor and for the echo cancellers of libraries on
/// the same samples: `patchrun-bench voice --scenes 200 --seed 1`.
struct VoiceBattery: OptionMeasurement {
  var sceneCount = 200
  var seed: UInt64 = 1
  /// The numbers of chosen scenes, as a run prints them, instead of those from the seed.
  var chosenNumbers: [UInt64] = []
  /// Only scenes with this coupling.
  var only: VoiceScene.Coupling?
  var measuresPeers = true
  /// Whether the figures are compared with those of the libraries in the same run.
  var checks = false
  /// Whether every scene prints a line.
  var isVerbose = false
  /// The folder for the WAV files of a single scene's signals.
  var folder: String?
  /// The folder for the inputs of the near-end detector (`Tests/Peers/near-detector.py`). With it
  /// no scene is judged.
  var cluesFolder: String?

  /// Parses the options; `nil` for an unknown one.
  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      switch option {
      case "--no-peers": measuresPeers = false
      case "--check": checks = true
      case "--verbose": isVerbose = true
      case "--scenes":
        guard let value = rest.popFirst().flatMap({ Int($0) }), value > 0 else { return nil }
        sceneCount = value
      case "--seed":
        guard let value = rest.popFirst().flatMap({ UInt64($0) }) else { return nil }
        seed = value
      case "--scene":
        guard let value = rest.popFirst().flatMap({ UInt64($0) }) else { return nil }
        chosenNumbers.append(value)
      case "--only":
        guard let value = rest.popFirst().flatMap({ VoiceScene.Coupling(rawValue: $0) }) else {
          return nil
        }
        only = value
      case "--write":
        guard let value = rest.popFirst() else { return nil }
        folder = value
      case "--clues":
        guard let value = rest.popFirst() else { return nil }
        cluesFolder = value
      default: return nil
      }
    }
  }

  static let usage =
    "voice [--scenes N] [--seed S | --scene NUMBER…] [--only headphones|weak|moderate|strong] [--no-peers] "
    + "[--check] [--verbose] [--write FOLDER] [--clues FOLDER]"

  /// The numbers of the scenes. Neighbouring numbers give unrelated scenes.
  var numbers: [UInt64] {
    chosenNumbers.isEmpty ? (0..<sceneCount).map { seed &* 1_000_003 &+ UInt64($0) } : chosenNumbers
  }

  private struct Result {
    let seed: UInt64
    let scene: VoiceScene
    let microphone: VoiceVerdict
    let ours: VoiceVerdict
    let cost: Double
    let peers: [VoicePeer: (verdict: VoiceVerdict, cost: Double)]
  }

  /// Prints the figures.
  ///
  /// - Returns: With `checks`, whether ours is better than the libraries; otherwise `true`.
  func run() -> Bool {
    let pools = Self.pools()
    if let cluesFolder { return writeClues(to: cluesFolder, pools) }
    var results: [Result] = []
    var missing: Set<String> = []
    for sceneSeed in numbers {
      let rate = VoiceScene.sampleRate(seed: sceneSeed)
      guard let pool = pools[rate] else { continue }
      if let only, VoiceScene.coupling(seed: sceneSeed) != only { continue }
      let scene = VoiceScene(seed: sceneSeed, pool: pool)
      let (output, cost) = Self.process(scene)
      var peers: [VoicePeer: (verdict: VoiceVerdict, cost: Double)] = [:]
      for peer in VoicePeer.allCases where measuresPeers {
        guard let (output, cost) = Self.process(scene, with: peer) else {
          missing.insert(peer.rawValue)
          continue
        }
        peers[peer] = (VoiceVerdict(of: output, in: scene), cost / VoiceScene.seconds)
      }
      let result = Result(
        seed: sceneSeed, scene: scene,
        microphone: VoiceVerdict(of: scene.microphone, in: scene),
        ours: VoiceVerdict(of: output, in: scene), cost: cost / VoiceScene.seconds, peers: peers)
      results.append(result)
      if isVerbose || !chosenNumbers.isEmpty { printLine(result) }
      if let folder { Self.write(scene, output, to: folder) }
    }
    for name in missing.sorted() {
      print("\(name) is not installed: nothing is measured beside it")
    }
    guard !results.isEmpty else {
      print("no such scene")
      return false
    }
    if chosenNumbers.isEmpty { summarize(results) }
    guard checks else { return true }
    guard missing.isEmpty && measuresPeers else {
      print("error: nothing is checked without the libraries to compare with")
      return false
    }
    return check(results)
  }

  /// Whether the near end is clearer, and the echo softer, than with either library.
  private func check(_ results: [Result]) -> Bool {
    var failures: [String] = []
    func demand(_ holds: Bool, _ sentence: String) { if !holds { failures.append(sentence) } }
    let stoi = results.map(\.ours.intelligibility)
    let enhancements = results.compactMap(\.ours.enhancement)
    for peer in VoicePeer.allCases {
      let verdicts = results.compactMap { $0.peers[peer]?.verdict }
      demand(
        median(stoi) >= median(verdicts.map(\.intelligibility)),
        "the median of STOI is below that of \(peer.rawValue)")
      demand(
        fifth(stoi) >= fifth(verdicts.map(\.intelligibility)),
        "one STOI in twenty is below that of \(peer.rawValue)")
      demand(
        median(enhancements) >= median(verdicts.compactMap(\.enhancement)),
        "the median of the enhancement is below that of \(peer.rawValue)")
    }
    let harmed = results.count { $0.ours.intelligibility < $0.microphone.intelligibility - 0.01 }
    demand(
      10 * harmed <= results.count, "STOI is below the microphone's in more than one scene of ten")
    let headphones = results.filter { $0.scene.coupling == .headphones }
    demand(
      headphones.allSatisfy { $0.ours.intelligibility >= 0.96 },
      "STOI with headphones is below 0.96")
    for failure in failures { print("error: \(failure)") }
    return failures.isEmpty
  }

  // MARK: Printing

  private func printLine(_ result: Result) {
    let scene = result.scene
    let peers = VoicePeer.allCases.compactMap { peer in
      result.peers[peer].map {
        "  \(peer.rawValue) " + fixed($0.verdict.intelligibility, 3) + " "
          + fixed($0.verdict.enhancement ?? 0, 1)
      }
    }.joined()
    let recoveries = result.ours.recoveries.map {
      "\($0.name) \(fixed(min($0.to20, 99), 2)) \(fixed(min($0.to30, 99), 2))"
    }.joined(separator: ", ")
    var line = column("\(result.seed)", width: 12)
    line += column(scene.sampleRate, 0, width: 7)
    line += column(scene.coupling.rawValue, width: 11)
    line += column(scene.farEnd.rawValue, width: 7)
    line += column(scene.loudspeakerKind.rawValue, width: 10)
    line += column(scene.reverberation, 2, width: 5)
    line += column(scene.drift, 0, width: 5)
    line += column(scene.delay, 2, width: 5)
    line += "  STOI " + fixed(result.ours.intelligibility, 3)
    line += " mic " + fixed(result.microphone.intelligibility, 3)
    line += "  SNR " + fixed(result.ours.segmentalRatio, 1)
    line += " mic " + fixed(result.microphone.segmentalRatio, 1)
    line += "  level " + fixed(result.ours.level, 1)
    line += "  ERLE " + (result.ours.enhancement.map { fixed($0, 1) } ?? "-")
    print(line + peers + "  " + recoveries)
  }

  private func summarize(_ results: [Result]) {
    print(
      "\(results.count) scenes from seed \(seed): the near end's STOI while both speak; its segmental "
        + "SNR; the\nenhancement where the far end is alone. Median, 5 %, worst.\n")
    let titles: [(String, Int)] = [
      ("scenes", 25), ("who", 13), ("STOI", 8), ("5 %", 7), ("worst", 7), ("SNR", 8), ("5 %", 7),
      ("level", 8), ("ERLE", 8), ("5 %", 7), ("worst", 7),
    ]
    print(titles.map { column($0.0, width: $0.1) }.joined())
    var groups: [(name: String, contains: (VoiceScene) -> Bool)] = [("all", { _ in true })]
    for coupling in VoiceScene.Coupling.allCases {
      groups.append((coupling.rawValue, { $0.coupling == coupling }))
    }
    groups.append(("drift", { $0.drift != 0 }))
    groups.append(("delay", { $0.delay != 0 }))
    groups.append(("far end no speech", { $0.farEnd != .speech }))
    let bending: Set<VoiceScene.Loudspeaker> = [.tanh, .clipped, .evenOrder]
    groups.append(("loudspeaker bends", { bending.contains($0.loudspeakerKind) }))
    groups.append(("even order", { $0.loudspeakerKind == .evenOrder }))
    for (name, contains) in groups {
      let chosen = results.filter { contains($0.scene) }
      guard !chosen.isEmpty else { continue }
      let title = "\(name) (\(chosen.count))"
      row(title, "patchrun", chosen.map(\.ours))
      for peer in VoicePeer.allCases {
        let verdicts = chosen.compactMap { $0.peers[peer]?.verdict }
        if !verdicts.isEmpty { row("", peer.rawValue, verdicts) }
      }
      row("", "microphone", chosen.map(\.microphone))
    }
    harm(results)
    recoveries(results)
    costs(results)
    worst(results)
  }

  private func row(_ title: String, _ name: String, _ verdicts: [VoiceVerdict]) {
    let stoi = verdicts.map(\.intelligibility)
    let ratios = verdicts.map(\.segmentalRatio)
    let enhancements = verdicts.compactMap(\.enhancement)
    var line = column(title, width: 25) + column(name, width: 13)
    line += column(median(stoi), 3, width: 8) + column(fifth(stoi), 3, width: 7)
    line += column(stoi.min() ?? 0, 3, width: 7)
    line += column(median(ratios), 1, width: 8) + column(fifth(ratios), 1, width: 7)
    line += column(median(verdicts.map(\.level)), 1, width: 8)
    line += column(median(enhancements), 1, width: 8) + column(fifth(enhancements), 1, width: 7)
    line += column(enhancements.min() ?? 0, 1, width: 7)
    print(line)
  }

  /// The 5th percentile.
  private func fifth(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 20]
  }

  private func harm(_ results: [Result]) {
    let harmed = results.filter {
      $0.ours.intelligibility < $0.microphone.intelligibility - 0.01
    }
    print("\nSTOI more than 0.01 below the microphone's: \(harmed.count) of \(results.count)")
    let compared = results.filter { !$0.peers.isEmpty }
    guard !compared.isEmpty else { return }
    func best(_ result: Result, _ value: (VoiceVerdict) -> Double) -> Double {
      result.peers.values.map { value($0.verdict) }.max() ?? 0
    }
    let worse = compared.filter {
      $0.ours.intelligibility < best($0, \.intelligibility) - 0.01
    }
    let weaker = compared.filter {
      guard let ours = $0.ours.enhancement else { return false }
      return ours < best($0) { $0.enhancement ?? 0 } - 1
    }
    print(
      "STOI more than 0.01 below the better library's: \(worse.count) of \(compared.count)\n"
        + "enhancement more than 1 dB below the better library's: \(weaker.count) of \(compared.count)"
    )
  }

  private func recoveries(_ results: [Result]) {
    print(
      "\nBack within 2 s: how many, to 20 dB, to 30 dB or the noise; how many of the rest had less than "
        + "2 s\nuntil the next event:")
    for name in ["start", "end of double talk", "path change", "delay jump"] {
      func share(_ verdicts: [VoiceVerdict]) -> String {
        let times = verdicts.flatMap(\.recoveries).filter { $0.name == name }
        func percent(_ count: Int) -> String {
          times.isEmpty ? "-" : fixed(100 * Double(count) / Double(times.count), 1) + " %"
        }
        return column("\(times.count)", width: 6)
          + column(percent(times.count { $0.to20 <= 2 }), width: 8)
          + column(percent(times.count { $0.to30 <= 2 }), width: 8)
          + column("\(times.count { $0.to30 > 2 && $0.until < 2 })", width: 4)
      }
      var line = column(name, width: 20) + "  patchrun" + share(results.map(\.ours))
      for peer in VoicePeer.allCases where results.contains(where: { $0.peers[peer] != nil }) {
        line += "  \(peer.rawValue)" + share(results.compactMap { $0.peers[peer]?.verdict })
      }
      print(line)
    }
  }

  private func costs(_ results: [Result]) {
    print("\nProcessor seconds for a second of sound, and how many times real time that is:")
    for rate in Set(results.map(\.scene.sampleRate)).sorted() {
      let chosen = results.filter { $0.scene.sampleRate == rate }
      func text(_ costs: [Double]) -> String {
        column(median(costs), 4, width: 8)
          + column(median(costs) > 0 ? 1 / median(costs) : 0, 0, width: 6)
      }
      var line = column(rate, 0, width: 8) + "  patchrun" + text(chosen.map(\.cost))
      for peer in VoicePeer.allCases {
        let costs = chosen.compactMap { $0.peers[peer]?.cost }
        if !costs.isEmpty { line += "  \(peer.rawValue)" + text(costs) }
      }
      print(line)
    }
  }

  private func worst(_ results: [Result]) {
    print("\nThe ten worst beside the microphone:")
    func gain(_ result: Result) -> Double {
      result.ours.intelligibility - result.microphone.intelligibility
    }
    for result in results.sorted(by: { gain($0) < gain($1) }).prefix(10) { printLine(result) }
    print("The ten with the least enhancement:")
    let heard = results.filter { $0.ours.enhancement != nil }
    for result in heard.sorted(by: { ($0.ours.enhancement ?? 0) < ($1.ours.enhancement ?? 0) })
      .prefix(10)
    { printLine(result) }
  }

  // MARK: Scenes

  /// The output of the processor for a scene, aligned with its input.
  ///
  /// - Parameter afterHop: Called after each hop.
  static func process(
    _ scene: VoiceScene, afterHop: (borrowing VoiceProcessor) -> Void = { _ in }
  ) -> (output: [Float], cost: Double) {
    let rate = scene.sampleRate
    var processor = VoiceProcessor(
      sampleRate: rate, slack: VoiceProcessor.hop(sampleRate: rate) / 2,
      settings: VoiceSettings(controlsLevel: false), searchesDelay: true)
    let slice = processor.slack
    let delay = processor.delay
    let memory = SampleStorage(repeating: 0, count: 2 * slice)
    let count = scene.microphone.count
    var output: [Float] = []
    output.reserveCapacity(count + delay + slice)
    let begin = processorTime()
    var (start, hops) = (0, 0)
    while start < count + delay {
      let (near, far) = (
        memory.buffer(at: 0, count: slice), memory.buffer(at: slice, count: slice)
      )
      for index in 0..<slice {
        near[index] = start + index < count ? scene.microphone[start + index] : 0
        far[index] = start + index < count ? scene.loudspeaker[start + index] : 0
      }
      let time = Double(start) / rate
      processor.settings.isMuted = scene.muted?.contains(time) ?? false
      processor.settings.isBypassed = scene.bypassed?.contains(time) ?? false
      processor.process(near, into: near)
      processor.play(far)
      if processor.hopCount > hops { afterHop(processor) }
      hops = processor.hopCount
      for index in 0..<slice { output.append(near[index]) }
      start += slice
    }
    let cost = processorTime() - begin
    return (Array(output.dropFirst(delay).prefix(count)), cost)
  }

  /// The output of another library for a scene, and its processor time in seconds; `nil` if the
  /// library is not installed.
  static func process(
    _ scene: VoiceScene, with peer: VoicePeer
  ) -> (output: [Float], cost: Double)? {
    peer.process(
      loudspeaker: scene.loudspeaker, microphone: scene.microphone, sampleRate: scene.sampleRate,
      clock: processorTime)
  }

  /// Voices of espeak-ng at every rate, or of the speech model if it is not installed.
  private static func pools() -> [Double: VoicePool] {
    let english =
      "The quick brown fox jumps over the lazy dog while seven wizards mix a hundred audio streams. "
      + "Every node in the graph renders its block, and the mixer adds the results together."
    let texts: [(voice: String, pitch: Int, speed: Int, text: String)] = [
      ("en-us", 50, 150, english), ("en-gb+f3", 70, 140, english), ("en-us+m4", 35, 175, english),
      (
        "de", 45, 150,
        "Guten Tag, wie geht es Ihnen heute? Wir treffen uns morgen um acht Uhr vor dem Bahnhof und fahren dann zusammen in die Stadt."
      ),
      (
        "fr+f2", 60, 155,
        "Bonjour, je voudrais savoir si le train pour Lyon part encore ce soir, ou bien si je dois attendre demain matin."
      ),
      (
        "es+m2", 50, 165,
        "Buenos días, quisiera reservar una mesa para cuatro personas, cerca de la ventana si es posible, a las nueve."
      ),
      (
        "it+f4", 65, 150,
        "Il treno per Firenze parte dal binario sette, ma oggi ha un ritardo di circa venti minuti, come succede spesso."
      ),
      (
        "pl", 40, 150,
        "Proszę powiedzieć głośno i wyraźnie, kiedy spotkamy się jutro w mieście, bo nie słyszę wszystkiego."
      ),
      (
        "sv+f1", 65, 150,
        "Vi ses i morgon klockan tio vid torget, och sedan går vi till biblioteket för att hämta böckerna."
      ),
      (
        "ru+m1", 45, 150,
        "Добрый день, сегодня хорошая погода, и мы собираемся поехать за город всей семьёй."
      ),
    ]
    let spoken = texts.compactMap {
      SpokenText.speak($0.text, voice: $0.voice, speed: $0.speed, pitch: $0.pitch)
    }
    let isSpoken = spoken.count == texts.count
    if !isSpoken {
      print("espeak-ng is not installed: the voices are those of a simple model of speech")
    }
    var pools: [Double: VoicePool] = [:]
    for rate in [8000.0, 16_000, 32_000, 48_000] {
      pools[rate] =
        isSpoken
        ? VoicePool(
          sampleRate: rate,
          voices: spoken.map {
            SpeechMeasures.converted($0.samples, from: $0.rate, to: rate)
          }) : .modelled(sampleRate: rate)
    }
    return pools
  }

  /// Writes the near-end speech, the microphone and the output as raw floats: `sox -t f32 -r RATE`.
  private static func write(_ scene: VoiceScene, _ output: [Float], to folder: String) {
    for (name, samples) in [
      ("near", scene.near), ("microphone", scene.microphone), ("ours", output),
    ] {
      var data = Data()
      for sample in samples {
        let bits = sample.bitPattern
        data.append(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt32($0))) })
      }
      try? data.write(
        to: URL(fileURLWithPath: "\(folder)/\(name)-\(Int(scene.sampleRate)).f32"))
    }
  }
}
