import Diagnostics
import FileAccess
import Jobs
import PatchGraph
import PatchSyntax
import RenderTaps

extension RenderTask {
  /// One of several patches to render.
  private struct Job: Sendable {
    var path: String
    var access: FilePolicy
    /// The replacement of `{name}`.
    var name: String
    var output: String?
  }

  private static let namePlace = "{name}"

  /// Renders several patches in parallel and reports the results in their order.
  ///
  /// - Returns: The highest exit status.
  func renderEach(_ signals: Signals) throws(CommandFailure) -> Int32 {
    let jobs = try jobs()
    try refuseDependencies(jobs)
    try makeFolders(jobs)
    var outcomes: [Outcome] = []
    var failedNumber: Int32 = 0
    _ = parallelMap(
      jobs.count, atMost: threads,
      finished: { _, result in
        outcomes.append(result.0)
        if failedNumber == 0 { failedNumber = result.1.put() }
      },
      { index in CollectedOutput.collecting { render(jobs[index], signals) } })
    guard failedNumber == 0 else {
      throw CommandFailure(
        ExitStatus.unavailable, "standard output cannot be written: \(systemMessage(failedNumber))"
      )
    }
    reportWithoutOutput(zip(jobs, outcomes).compactMap { $1.lacksOutput ? $0.path : nil })
    if !quiet {
      let failed = outcomes.count { $0.status != ExitStatus.success }
      StandardStream.error.put(
        "\(counted(jobs.count - failed, "patch", "patches")) rendered"
          + (failed > 0 ? ", \(failed) failed" : "") + "\n")
    }
    return outcomes.map(\.status).max() ?? ExitStatus.success
  }

  /// The result of one render.
  private struct Outcome: Sendable {
    var status: Int32
    /// Whether no output was named: reported once for all patches.
    var lacksOutput = false
  }

  private func reportWithoutOutput(_ paths: [String]) {
    guard let first = paths.first else { return }
    let names = quoted(first) + (paths.count > 1 ? " and \(paths.count - 1) more" : "")
    appearance.report(
      "error", "there is no file to render \(names) to",
      help: ["name a folder, '-o sounds/', or a path with the patch's name: '-o {name}.flac'"])
  }

  /// Renders one patch with its own messages.
  private func render(_ job: Job, _ signals: Signals) -> Outcome {
    if let signal = signals.interruptedBy {
      return Outcome(status: ExitStatus.interrupted(by: signal))
    }
    var one = self
    one.files = [job.path]
    one.output = job.output
    one.pictures = pictures.map { $0.named(job.name) }
    one.threads = 1
    var sheet: JSONText?
    var outcome = Outcome(status: ExitStatus.success)
    do throws(CommandFailure) {
      outcome.status = try one.render(job.path, job.access, signals) { sheet = $0 }
    } catch {
      outcome = Outcome(status: error.status, lacksOutput: error.message == Self.noOutput)
      if !outcome.lacksOutput { appearance.report(error, with: job.path) }
    }
    if json {
      var members: [(String, JSONText)] = [
        ("patch", .string(job.path)), ("status", .number(Int(outcome.status))),
      ]
      if case .object(let found)? = sheet { members += found.map { ($0.name, $0.value) } }
      _ = StandardStream.output.put(
        result: JSONText.object(members.map { JSONText.Member($0.0, $0.1) }).compact + "\n")
    }
    return outcome
  }

  // MARK: Inputs and outputs

  private func jobs() throws(CommandFailure) -> [Job] {
    let items = PatchPaths.items(files) { policy.forNamed($0) }
    PatchPaths.note(leftOut: items, appearance)
    var jobs: [Job] = []
    for item in items {
      switch item {
      case .leftOut: continue
      case .failure(_, let failure): throw failure
      case .file(let path, let access):
        if path == "-" {
          throw CommandFailure(
            ExitStatus.wrongUsage, "standard input is one patch, and there are others",
            help: ["render it for itself"])
        }
        // A folder may hold test files and presets beside its patches.
        if access.folder != nil, try !isPatch(path, access) { continue }
        let name = PatchFile.baseName(of: path)
        jobs.append(Job(path: path, access: access, name: name, output: try outputPath(name)))
      }
    }
    if jobs.isEmpty {
      throw CommandFailure(
        ExitStatus.unavailable, "there is no patch to render",
        help: ["test files and presets are no patches; 'patchrun test' runs test files"])
    }
    try refuseDuplicateOutputs(jobs)
    return jobs
  }

  private func isPatch(_ path: String, _ access: FilePolicy) throws(CommandFailure) -> Bool {
    let file = try PatchFile(path, files: access, limits: policy.limits)
    return !TestDocument.isTests(file.source) && Validate.preset(file) == nil
      && !PatchFolder.isOtherJSON(file.source)
  }

  private func outputPath(_ name: String) throws(CommandFailure) -> String? {
    guard let output else { return nil }
    if output.contains(Self.namePlace) { return output.replacing(Self.namePlace, with: name) }
    let last = output.split(separator: "/").last ?? ""
    let isFolder = output.hasSuffix("/") || FolderListing.isFolder(output) || !last.contains(".")
    guard isFolder, output != "-" else {
      let what = output == "-" ? "standard output" : quoted(output)
      throw CommandFailure(
        ExitStatus.wrongUsage, "\(what) is one file, and several patches are rendered",
        help: ["name a folder, '-o sounds/', or a path with the patch's name: '-o {name}.flac'"])
    }
    return (output.hasSuffix("/") ? output : output + "/") + name + ".wav"
  }

  /// Throws if two patches would be rendered to one file.
  private func refuseDuplicateOutputs(_ jobs: [Job]) throws(CommandFailure) {
    var seen: [String: String] = [:]
    for job in jobs {
      let places = [job.output].compactMap(\.self) + pictures.map { $0.named(job.name).path }
      for place in places {
        guard let other = seen.updateValue(job.path, forKey: place), other != job.path else {
          continue
        }
        throw CommandFailure(
          ExitStatus.wrongUsage,
          "\(quoted(other)) and \(quoted(job.path)) would both be rendered to \(quoted(place))",
          help: [
            place.contains(job.name)
              ? "two patches of one name need two renders, with a folder each"
              : "write {name} where the name of each patch is to stand"
          ])
      }
    }
  }

  /// Throws if a patch reads a file that another patch writes, or if two patches write one file:
  /// they are rendered in parallel, in no defined order.
  private func refuseDependencies(_ jobs: [Job]) throws(CommandFailure) {
    guard jobs.count > 1 else { return }
    let files = parallelMap(jobs.count, atMost: threads) { touchedFiles(of: jobs[$0]) }
    func name(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }
    // Two paths to one file end in the same name, unless one is a link to a file.
    var readers: [String: [(job: Int, path: String)]] = [:]
    var writers = readers
    for (job, touched) in files.enumerated() {
      for path in touched.read { readers[name(path), default: []].append((job, path)) }
      for path in touched.written { writers[name(path), default: []].append((job, path)) }
    }
    for (name, places) in writers.sorted(by: { $0.key < $1.key }) {
      for (index, place) in places.enumerated() {
        let reader = readers[name]?.first {
          $0.job != place.job && OneFile.same($0.path, place.path)
        }
        if let reader {
          throw CommandFailure(
            ExitStatus.wrongUsage,
            "\(quoted(jobs[reader.job].path)) reads \(quoted(reader.path)), which "
              + "\(quoted(jobs[place.job].path)) writes",
            help: ["they are rendered side by side: render \(quoted(jobs[place.job].path)) first"])
        }
        let twin = places[..<index].first {
          $0.job != place.job && OneFile.same($0.path, place.path)
        }
        if let twin {
          throw CommandFailure(
            ExitStatus.wrongUsage,
            "\(quoted(jobs[twin.job].path)) and \(quoted(jobs[place.job].path)) both write "
              + "\(quoted(place.path))",
            help: ["give one of them another name, or render them one after the other"])
        }
      }
    }
  }

  /// The files that a render reads and writes; those that are known, if the patch has errors.
  private func touchedFiles(of job: Job) -> (read: [String], written: [String]) {
    let takes = Takes(overwrite ? .replace : .replaceOwn)
    var read = [job.path] + [input].compactMap(\.self)
    var written =
      [job.output].compactMap(\.self) + pictures.map { $0.named(job.name).path }
    guard let file = try? PatchFile(job.path, files: job.access, limits: policy.limits) else {
      return (read, written)
    }
    let surroundings = policy.reaching(job.access).surroundings(
      of: file, native, takes: takes)
    let patch = PatchBuilder.build(
      file.read(overrides), in: surroundings, device: .assumed(hardware))
    read += patch.inputFiles
    written += patch.outputFiles.compactMap(takes.plainPath)
    return (read, written)
  }

  private func makeFolders(_ jobs: [Job]) throws(CommandFailure) {
    var made: Set<String> = []
    for job in jobs {
      guard let output = job.output, let slash = output.lastIndex(of: "/") else { continue }
      let folder = String(output[..<slash])
      if !folder.isEmpty, made.insert(folder).inserted { try FileOutput.makeFolder(folder) }
    }
  }
}

extension PictureOption {
  /// The option with `{name}` replaced by the name of a patch.
  fileprivate func named(_ name: String) -> PictureOption {
    (try? Self.read(text.replacing("{name}", with: name))) ?? self
  }
}
