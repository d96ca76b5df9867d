import CSoxr
import Foundation
import TestSupport

/// Runs workloads with patchrun and the installed peers, and prints a table of ratios and goals:
///
///     swift run -c release patchrun-bench peers
///     swift run -c release patchrun-bench peers --quick --rounds 3 W2 W3
///
/// Each round runs every program of a workload twice, in rotating order, each on one processor; the
/// second run counts. Some virtual machines give memory back to their host that has been free for a
/// second or two, and get it cleared anew: a program that follows a smaller one then takes up to 1.5 times as long.
/// A figure is the median processor time of a program and its children. A ratio is taken within each
/// round; the table has the median.
struct PeerMeasurement: OptionMeasurement {
  static let usage =
    "peers [--quick] [--rounds N] [--data FOLDER] [W1 …]     beside the peers that are installed"

  private var rounds = 5
  private var scale = 1.0
  private var data = NSTemporaryDirectory() + "patchrun-peers"
  private var openAL: String?
  private var wanted: Set<String> = []

  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      switch word {
      case "--quick": scale = 0.1
      case "--rounds":
        guard let count = rest.popFirst().flatMap({ Int($0) }), count > 0 else { return nil }
        rounds = count
      case "--data":
        guard let folder = rest.popFirst() else { return nil }
        data = folder
      default:
        guard word.hasPrefix("W") else { return nil }
        wanted.insert(word)
      }
    }
  }

  /// The folder of the patches and of the C reference program in the repository.
  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Tests/Peers").standardized.path

  /// Returns whether there was anything to measure.
  mutating func run() -> Bool {
    guard let built = MeasuredProgram.path else {
      print("build the program first: swift build -c release --product patchrun")
      return false
    }
    do {
      let folder = data + (scale == 1 ? "" : "-quick")
      let sounds = PeerSounds(folder: folder + "/data", scale: scale)
      try sounds.write()
      let output = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : folder
      let results = "\(output)/patchrun-peers-\(getpid())"
      try FileManager.default.createDirectory(atPath: results, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: results) }
      try copyPatches(to: folder)
      let patchrun = install(built, folder)
      var programs: [String: String] = [:]
      for name in PeerCatalog.names {
        programs[name] = MeasuredCommand.find(name)
      }
      openAL = makeOpenAL(folder)
      programs["pd"] = programs["pd"] ?? MeasuredCommand.find("puredata")
      let catalog = PeerCatalog(
        sounds: sounds, patches: folder, output: results, floor: makeFloor(folder),
        patchrun: patchrun, programs: programs, faust: makeFaust(folder))
      printHeader(catalog)
      var figures: [String: PeerFigures] = [:]
      for workload in catalog.workloads() where isWanted(workload.name) {
        figures[workload.name] = try measure(workload)
      }
      printTable(catalog.workloads(), figures)
      if isWanted("W9") { spatial(folder, patchrun) }
      if isWanted("W10") { VoiceRow(rounds: rounds).run() }
      if isWanted("W11") { live(folder, patchrun) }
      let shared = ["W4m", "W5"].filter(isWanted).map { name in
        (name.lowercased(), Double(sounds.short) * (name == "W4m" ? 10 : 1))
      }
      if !shared.isEmpty {
        ThreadGain(patchrun: patchrun, patches: folder, output: results, rounds: rounds).run(shared)
      }
      return true
    } catch {
      print("the measurement cannot be made: \(error)")
      return false
    }
  }

  private func isWanted(_ name: String) -> Bool {
    wanted.isEmpty || wanted.contains(name)
      || wanted.contains { name.hasPrefix($0 + ".") || name == $0 + "big" }
  }

  private func printHeader(_ catalog: PeerCatalog) {
    let date = Date().formatted(.iso8601.year().month().day())
    print("\(date), \(Self.processor), \(rounds) rounds\(scale == 1 ? "" : ", files of a tenth")")
    var missing = PeerCatalog.names.filter { catalog.programs[$0] == nil }
    if catalog.faust.isEmpty { missing.append("faust") }
    if openAL == nil { missing.append("OpenAL Soft (libopenal-dev)") }
    if !VoiceRow.hasPeer { missing.append("\(VoiceRow.peer.rawValue) (libspeexdsp1)") }
    // Debian has no package of miniaudio.
    missing.append("miniaudio")
    if !missing.isEmpty { print("not installed, left out: \(missing.joined(separator: ", "))") }
    if catalog.floor == nil { print("no C compiler (cc): there is no floor") }
    print()
  }

  private static var processor: String {
    let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "?"
  }

  private func copyPatches(to folder: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: Self.sources)
    where name.hasSuffix(".json") {
      let text = try String(contentsOfFile: "\(Self.sources)/\(name)", encoding: .utf8)
      try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }
    for (name, count, file, frames) in [
      ("w6-0", 0, "chain", 512), ("w6-1000", 1000, "chain", 512),
      ("w8big", 10_000, "short", 4096),
    ] {
      try PeerCatalog.chainPatch(count, file: file, frames: frames)
        .write(toFile: "\(folder)/\(name).json", atomically: true, encoding: .utf8)
    }
  }

  /// Copies our program, as the packages of the others were copied. A linker leaves its file in the
  /// system's cache in small pieces, with which each start takes an eighth longer.
  private func install(_ program: String, _ folder: String) -> String {
    let path = "\(folder)/patchrun"
    return MeasuredCommand.processorTime(["cp", program, path]) == nil ? program : path
  }

  /// The C reference program ("floor"), compiled for this processor; `nil` without a compiler.
  private func makeFloor(_ folder: String) -> String? {
    let path = "\(folder)/floor"
    let made = MeasuredCommand.processorTime(
      ["cc", "-O3", "-march=native", "-o", path, "\(Self.sources)/floor.c", "-lm"])
    return made == nil ? nil : path
  }

  /// The Faust programs, compiled by Faust and the C compiler; empty if either is missing.
  private func makeFaust(_ folder: String) -> [String: String] {
    var made: [String: String] = [:]
    guard MeasuredCommand.find("faust") != nil else { return made }
    for (name, text) in PeerCatalog.faustPrograms where isWanted(name.uppercased()) {
      let path = "\(folder)/faust-\(name)"
      guard (try? text.write(toFile: path + ".dsp", atomically: true, encoding: .utf8)) != nil,
        MeasuredCommand.processorTime([
          "faust", "-lang", "c", "-cn", "peer", "-o", path + ".h", path + ".dsp",
        ]) != nil,
        MeasuredCommand.processorTime([
          "cc", "-O3", "-march=native", "-ffast-math", "-DPROGRAM=\"\(path).h\"", "-o", path,
          "\(Self.sources)/faust.c", "-lm",
        ]) != nil
      else {
        print("the program of Faust for \(name.uppercased()) cannot be made")
        continue
      }
      made[name] = path
    }
    return made
  }

  /// The OpenAL Soft program; `nil` if the library is not installed.
  private func makeOpenAL(_ folder: String) -> String? {
    let path = "\(folder)/openal"
    let made = MeasuredCommand.processorTime(
      ["cc", "-O2", "-o", path, "\(Self.sources)/openal.c", "-lopenal", "-lm"])
    return made == nil ? nil : path
  }

  // MARK: Measuring

  private func measure(_ workload: PeerWorkload) throws -> PeerFigures {
    var figures = PeerFigures(peers: workload.jobs.map(\.peer))
    for job in workload.jobs {
      if let (path, data) = job.script {
        try data.write(to: URL(fileURLWithPath: path))
      }
      // One run before measuring, to cache the files and to exclude programs that fail.
      let works = MeasuredCommand.processorTime(job.command, variables: job.variables) != nil
      if !works {
        figures.failed.insert(job.peer)
        print("\(workload.name): \(job.peer) fails, and is left out")
      }
    }
    if workload.isExact { compare(workload, &figures) }
    for round in 0..<(rounds * workload.rounds) {
      for place in workload.jobs.indices {
        let job = workload.jobs[(place + round) % workload.jobs.count]
        guard !figures.failed.contains(job.peer) else { continue }
        let times = (0..<2).map { _ in
          MeasuredCommand.processorTime(job.command, variables: job.variables)
        }
        figures.add(times[1], of: job.peer)
      }
    }
    return figures
  }

  /// Compares the output of each program with that of the floor, to exclude programs that do
  /// something else.
  private func compare(_ workload: PeerWorkload, _ figures: inout PeerFigures) {
    guard let floor = workload.jobs.first(where: { $0.peer == PeerWorkload.floor }),
      let wanted = try? FloatWave(floor.output)
    else { return }
    var words: [String] = []
    for job in workload.jobs where job.peer != floor.peer && !figures.failed.contains(job.peer) {
      guard let found = try? FloatWave(job.output) else { continue }
      let difference = found.greatestDifference(from: wanted)
      let isSame = difference < 1e-3
      if !isSame { figures.failed.insert(job.peer) }
      let distance =
        difference == 0
        ? "to the bit"
        : difference.isFinite ? "to \(fixed(decibels(difference), 0)) dBFS" : "none"
      words.append("\(job.peer) \(distance)" + (isSame ? "" : ", left out"))
    }
    print("\(workload.name): the same samples as the floor: \(words.joined(separator: ", "))")
  }

  // MARK: The table

  private func printTable(_ workloads: [PeerWorkload], _ figures: [String: PeerFigures]) {
    print(
      "| Workload | floor in C | best peer | ours | ours / floor | ours / peer | goal | met |\n"
        + "| --- | --- | --- | --- | --- | --- | --- | --- |")
    for workload in workloads {
      guard let own = figures[workload.name] else { continue }
      row(workload.name, workload.title, own, workload.goal)
    }
    if let none = figures["W6.0"], let thousand = figures["W6.1000"] {
      // The cost of a node in a block of 512 frames: the difference divided by 937.5 blocks and
      // 1000 nodes.
      let perNode = thousand.minus(none, dividedBy: 937.5 * 1000)
      row(
        "W6", "per node and 512 frames", perNode, .init(peer: 1, aboveFloor: 40e-9),
        isNanoseconds: true)
    }
  }

  private func row(
    _ name: String, _ title: String, _ figures: PeerFigures, _ goal: PeerWorkload.Goal,
    isNanoseconds: Bool = false
  ) {
    func text(_ value: Double?) -> String {
      guard let value else { return "–" }
      return isNanoseconds ? "\(fixed(value * 1e9, 0)) ns" : "\(fixed(value, 3)) s"
    }
    let (floor, ours) = (figures.median(PeerWorkload.floor), figures.median(PeerWorkload.ours))
    let best = figures.best
    let (toFloor, toPeer) = (
      figures.ratio(to: PeerWorkload.floor), best.flatMap { figures.ratio(to: $0) }
    )
    // Goals without a figure to compare with are skipped.
    var answers: [Bool] = []
    if let most = goal.floor, let toFloor { answers.append(toFloor <= most) }
    if let most = goal.peer, let toPeer { answers.append(toPeer <= most) }
    if let most = goal.aboveFloor, let ours, let floor { answers.append(ours <= floor + most) }
    if let most = goal.seconds, let ours { answers.append(ours <= most) }
    let met = answers.isEmpty ? "–" : answers.allSatisfy(\.self) ? "yes" : "no"
    print(
      "| \(name) \(title) | \(text(floor)) | \(best.map { "\($0) " } ?? "")"
        + "\(text(best.flatMap(figures.median))) | \(text(ours)) | "
        + "\(toFloor.map { fixed($0, 2) } ?? "–") | \(toPeer.map { fixed($0, 2) } ?? "–") | "
        + "\(goal.text.isEmpty ? "–" : goal.text) | \(met) |")
  }

  // MARK: Around a head, and live

  /// Nanoseconds for each source and frame, without the start of the program.
  private func spatial(_ folder: String, _ patchrun: String) {
    for (name, words, goal) in [("w9", "at rest", 10.0), ("w9-moving", "moving", 12)] {
      let patch = "\(folder)/\(name).json"
      let wave = "\(folder)/w9.wav"
      let (own, peer) = ("patchrun", "OpenAL Soft")
      var found: [String: [Double]] = [:]
      for _ in 0..<rounds {
        found[own, default: []] += nanoseconds {
          [patchrun, "render", "--quiet", patch, "--duration", "\($0)", "-o", wave]
        }
        guard let openAL else { continue }
        found[peer, default: []] += nanoseconds {
          [openAL, "\($0)", name == "w9" ? "0" : "1"]
        }
      }
      guard let times = found[own], !times.isEmpty else { continue }
      let middle = median(times)
      var others = ("–", "–")
      var isMet = middle <= goal
      if let theirs = found[peer], theirs.count == times.count {
        others = (
          "\(peer) \(fixed(median(theirs), 1)) ns",
          fixed(median(zip(times, theirs).map { $0 / $1 }), 2)
        )
        isMet = isMet && middle <= median(theirs)
      }
      print(
        "| W9 32 HRTF sources, \(words), per source and frame | – | \(others.0) | "
          + "\(fixed(middle, 1)) ns | – | \(others.1) | \(fixed(goal, 0)) ns, ahead of the peer | "
          + "\(isMet ? "yes" : "no") |")
    }
    try? FileManager.default.removeItem(atPath: "\(folder)/w9.wav")
  }

  /// One measurement of the nanoseconds for each source and frame, with 32 sources; empty if the
  /// program fails.
  private func nanoseconds(_ command: (_ seconds: Double) -> [String]) -> [Double] {
    let times = [0.1, 10].map { MeasuredCommand.processorTime(command($0)) }
    guard let short = times[0], let long = times[1] else { return [] }
    return [(long - short) * 1e9 / (9.9 * 48_000 * 32)]
  }

  /// Shares of a processor that the client takes, on its own server.
  private func live(_ folder: String, _ patchrun: String) {
    guard PrivatePulse.isInstalled, let pacat = MeasuredCommand.find("pacat"),
      let server = try? PrivatePulse()
    else { return print("W11: pulseaudio or pacat is not installed") }
    let variables = [("PULSE_SERVER", server.address)]
    let seconds = 10.0
    func live(_ patch: String) -> [String] {
      [
        patchrun, "run", "--quiet", "\(folder)/\(patch).json", "--set",
        "/nodes/out={\"component\":\"remoteIO\"}", "--set",
        "/session/preferredIOBufferDuration=0.005",
      ]
    }
    let jobs = [
      (
        "pacat",
        [
          pacat, "--playback", "--raw", "--format=float32le", "--rate=48000", "--channels=2",
          "--latency=4096", "\(folder)/data/long.wav",
        ]
      ), ("plain", live("w1")), ("graph", live("w3")),
    ]
    var shares: [String: [Double]] = [:]
    for _ in 0..<min(rounds, 3) {
      for (name, command) in jobs {
        let time = MeasuredCommand.processorTime(command, variables: variables, until: seconds)
        if let time { shares[name, default: []].append(time / seconds) }
      }
    }
    guard let peer = shares["pacat"].map(median), let plain = shares["plain"].map(median) else {
      return print("W11: nothing has played")
    }
    let percent = { (share: Double) in "\(fixed(share * 100, 2)) %" }
    print(
      "| W11 live, 256 frames, plain playback | – | pacat \(percent(peer)) | \(percent(plain)) | – | "
        + "\(fixed(plain / peer, 2)) | 1.20 x peer | \(plain <= 1.2 * peer ? "yes" : "no") |")
    if let graph = shares["graph"].map(median) {
      print(
        "| W11 the W3 graph live | – | – | \(percent(graph)) | – | – | 1.70 % | "
          + "\(graph <= 0.017 ? "yes" : "no") |")
    }
  }
}

/// The times of a workload's programs in each round.
struct PeerFigures {
  /// Seconds for each program. The values of a round have the same index.
  private(set) var times: [String: [Double]] = [:]
  let peers: [String]
  var failed: Set<String> = []

  init(peers: [String]) { self.peers = peers }

  mutating func add(_ time: Double?, of peer: String) {
    guard let time else {
      failed.insert(peer)
      times[peer] = nil
      return
    }
    times[peer, default: []].append(time)
  }

  func median(_ peer: String) -> Double? {
    times[peer].map { patchrun_bench.median($0) }
  }

  /// The fastest peer.
  var best: String? {
    peers.filter { $0 != PeerWorkload.floor && $0 != PeerWorkload.ours && times[$0] != nil }
      .min { (median($0) ?? .infinity) < (median($1) ?? .infinity) }
  }

  /// The median ratio of our time to that of another program.
  func ratio(to peer: String) -> Double? {
    guard let ours = times[PeerWorkload.ours], let others = times[peer] else { return nil }
    let ratios = zip(ours, others).filter { $1 > 0 }.map { $0 / $1 }
    return ratios.isEmpty ? nil : patchrun_bench.median(ratios)
  }

  /// The difference from other figures, round by round.
  func minus(_ other: PeerFigures, dividedBy count: Double) -> PeerFigures {
    var result = PeerFigures(peers: peers)
    for (peer, values) in times {
      guard let others = other.times[peer] else { continue }
      result.times[peer] = zip(values, others).map { max(0, $0 - $1) / count }
    }
    return result
  }
}

/// The samples of a stereo float WAV file from the first sample that is not 0: programs that read
/// ahead on another thread may begin some blocks later.
struct FloatWave {
  private let data: Data
  private let samples: Range<Int>

  struct Unreadable: Error {}

  init(_ path: String) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
    self.data = data
    var place = 12
    while place + 8 <= data.count {
      let start = place + 4
      let size = (0..<4).reduce(0) { $0 | Int(data[start + $1]) << (8 * $1) }
      if data[place..<(place + 4)].elementsEqual("data".utf8) {
        let end = min(data.count, place + 8 + size)
        var first = place + 8
        while first + 8 <= end, data[first..<(first + 8)].allSatisfy({ $0 == 0 }) { first += 8 }
        samples = first..<end
        return
      }
      place += 8 + size + size % 2
    }
    throw Unreadable()
  }

  /// The greatest difference over the common frames; infinite without any.
  func greatestDifference(from other: FloatWave) -> Double {
    let count = min(samples.count, other.samples.count) / 4
    guard count > 0 else { return .infinity }
    var greatest: Float = 0
    unsafe data.withUnsafeBytes { mine in
      unsafe other.data.withUnsafeBytes { theirs in
        for index in 0..<count {
          let first = unsafe mine.loadUnaligned(
            fromByteOffset: samples.lowerBound + 4 * index, as: Float.self)
          let second = unsafe theirs.loadUnaligned(
            fromByteOffset: other.samples.lowerBound + 4 * index, as: Float.self)
          greatest = max(greatest, (first - second).magnitude)
        }
      }
    }
    return Double(greatest)
  }
}

/// Converts a file with libsoxr alone at its very high quality, in blocks: the reference for W7.
func convertDirectly(_ arguments: [String]) -> Bool {
  guard arguments.count == 2,
    let input = try? Data(
      contentsOf: URL(fileURLWithPath: arguments[0]), options: .alwaysMapped),
    FileManager.default.createFile(atPath: arguments[1], contents: nil),
    let output = FileHandle(forWritingAtPath: arguments[1])
  else { return false }
  var io = unsafe soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
  var quality = unsafe soxr_quality_spec(UInt(SOXR_VHQ), 0)
  guard let soxr = unsafe soxr_create(44_100, 48_000, 2, nil, &io, &quality, nil) else {
    return false
  }
  defer { unsafe soxr_delete(soxr) }
  let block = 4096
  var converted = [Float](repeating: 0, count: block * 4)
  let count = (input.count - 44) / 8
  unsafe input.withUnsafeBytes { bytes in
    let samples = unsafe bytes.baseAddress! + 44
    var done = 0
    while true {
      let length = min(block, count - done)
      var (taken, given) = (0, 0)
      _ = unsafe soxr_process(
        soxr, length > 0 ? samples + done * 8 : nil, max(0, length), &taken, &converted, block * 2,
        &given)
      unsafe converted.withUnsafeBytes { unsafe output.write(Data($0.prefix(given * 8))) }
      done += taken
      if length <= 0 && given == 0 { break }
    }
  }
  return true
}
