import AudioTypes
import Diagnostics
import FileAccess
import PatchGraph
import PatchSyntax
import SoundFiles

/// A job with its digest and key. Not thread-safe.
///
/// The digest identifies the line of the manifest; computing it needs only the bytes of the patch
/// and of the inputs. The key identifies the result: lines that are written differently but render
/// the same have the same key. Computing the key needs the built patch.
struct PreparedJob {
  let job: BatchJob
  let line: Int
  let context: BatchContext
  let source: PatchCache.Source
  /// The digest of the line, of the patch's bytes and of the inputs' bytes.
  let digest: Digest
  /// The digests of the inputs, in their order.
  private let inputDigests: [Digest]
  private let cache: PatchCache
  private let files: FileDigests

  /// - Parameter text: The line.
  init(
    _ job: BatchJob, text: [UInt8], line: Int, context: BatchContext, _ cache: PatchCache,
    _ files: FileDigests
  ) throws(JobFault) {
    self.job = job
    self.line = line
    self.context = context
    self.cache = cache
    self.files = files
    let path = context.path(job.patch)
    do throws(FileRefusal) { source = try cache.source(path) } catch {
      throw JobFault(BatchRules.patch, error.message(for: path), help: [error.help])
    }
    var hashing = Hashing()
    hashing.add("patchrun batch job 1")
    hashing.add(context.version)
    hashing.add(context.kernel)
    hashing.add(text)
    hashing.add(source.digest)
    var digests: [Digest] = []
    for input in job.inputs {
      let path = context.path(input.path)
      do throws(FileRefusal) { digests.append(try files.digest(of: path).digest) } catch {
        throw JobFault(BatchRules.input, error.message(for: path), help: [error.help])
      }
      hashing.add(digests[digests.count - 1])
    }
    inputDigests = digests
    digest = hashing.finish()
  }

  /// The digest of a line that is not a valid job.
  static func digest(ofFaulty text: [UInt8], _ context: BatchContext) -> Digest {
    var hashing = Hashing()
    hashing.add("patchrun batch faulty job 1")
    hashing.add(context.version)
    hashing.add(text)
    return hashing.finish()
  }

  // MARK: The patch

  /// A patch with the settings and inputs of a job, as a graph that is not initialized.
  struct Built {
    var reading: PatchReader.Result
    var patch: BuiltPatch
    var surroundings: PatchSurroundings
    var assumption: HardwareAssumption
    /// The files that are part of the patch: sub-graphs and presets.
    var contained: Set<String>
  }

  /// Builds the patch with the settings and inputs of the job.
  ///
  /// - Parameter path: The path that an output is written to.
  func build(_ path: (BatchJob.File) -> String) throws(JobFault) -> Built {
    var texts = job.settings.map { "\($0.name)=\($0.value.compact)" }
    for input in job.inputs where input.place != BatchJob.microphone {
      let path = BatchContext.absolute(context.path(input.path))
      texts.append("\(input.place)=\(JSONText.string(path).compact)")
    }
    let written = job.outputs.filter { $0.place.hasPrefix("/") }
    for output in written {
      let path = BatchContext.absolute(path(output))
      texts.append("\(output.place)=\(JSONText.string(path).compact)")
    }
    var reading = PatchReader.read(source.text, overrides: texts, limits: context.limits)
    let surroundings = context.surroundings(source.directory)
    let assumption = try assumption()
    let device = PatchDevice.assumed(assumption)
    var patch = PatchBuilder.build(reading, in: surroundings, device: device)
    if let fault = Self.fault(patch) { throw fault }
    let contained = Set(patch.subgraphFiles.map(\.path))
    let places = Set(written.map(\.place))
    let taps = patch.document?.taps ?? []
    let kept = taps.filter { tap in
      tap.value.fields.allSatisfy { $0.name != "path" }
        || places.contains(JSONPointer(["taps", tap.name, "path"]).description)
    }
    if kept.count < taps.count {
      // Taps that the job does not mention would be written to the same path by every job.
      reading.document = patch.document
      reading.document?.taps = kept
      patch = PatchBuilder.build(reading, in: surroundings, device: device)
      if let fault = Self.fault(patch) { throw fault }
    }
    return Built(
      reading: reading, patch: patch, surroundings: surroundings, assumption: assumption,
      contained: contained)
  }

  private func assumption() throws(JobFault) -> HardwareAssumption {
    var assumption = context.assumption
    guard assumption.inputChannels == nil,
      let path = job.inputs.first(where: { $0.place == BatchJob.microphone })?.path
    else { return assumption }
    do throws(SoundFileError) {
      assumption.inputChannels = try SoundFileReader(path: context.path(path)).channelCount
    } catch {
      throw JobFault(BatchRules.input, error.message, help: [error.help])
    }
    return assumption
  }

  private static func fault(_ patch: BuiltPatch) -> JobFault? {
    guard let first = patch.diagnostics.first(where: { $0.severity == .error }) else { return nil }
    let (text, range) = patch.source.origin(of: first.range)
    let isSetting = text.name == DocumentOverride.sourceName
    let position = text.position(of: range.lowerBound)
    let place = isSetting ? "" : " (\(text.name):\(position.line):\(position.column))"
    let more = patch.diagnostics.count { $0.severity == .error } - 1
    return JobFault(
      isSetting ? BatchRules.settings : BatchRules.patch,
      "\(first.code): \(first.message.text)\(place)"
        + (more > 0 ? ", and \(more) more error\(more == 1 ? "" : "s")" : ""), help: first.help)
  }

  // MARK: The key

  /// The key of a job, and the digests of the files that it reads besides the patch and the inputs.
  struct Key {
    var digest: Digest
    /// The digest of the key and the paths of the outputs.
    var outputKey: Digest
    var reads: [(path: String, digest: String)]
  }

  /// The name of the canonical text of the patch with these settings.
  private var templateName: String {
    var hashing = Hashing()
    hashing.add(source.text.name)
    for setting in job.settings {
      hashing.add(setting.name)
      hashing.add(setting.value.compact)
    }
    for input in job.inputs { hashing.add("input " + input.place) }
    for output in job.outputs {
      hashing.add("output \(output.place) \(BatchJob.ending(of: output.path))")
    }
    return hashing.finish().description
  }

  /// The key, if the canonical text is known.
  func knownKey() throws(JobFault) -> Key? {
    guard let template = cache.template(templateName) else { return nil }
    return try key(template)
  }

  /// The key of a built patch.
  func key(_ built: Built) throws(JobFault) -> Key {
    let (template, isReusable) = try template(built)
    if isReusable { cache.keep(template, templateName) }
    return try key(template)
  }

  /// The canonical text, and whether it can be used for any input files.
  private func template(_ built: Built) throws(JobFault) -> (PatchCache.Template, Bool) {
    let patch = built.patch
    let surroundings = built.surroundings
    let read = Set(patch.inputFiles).subtracting(built.contained)
    let written = Set(patch.outputFiles)
    var expanded: ExpandedPatch?
    do throws(ExpandedPatch.Refusal) {
      expanded = try ExpandedPatch(patch, in: surroundings, device: .assumed(assumptionOrNone()))
    } catch {
      expanded = nil
    }
    guard let document = expanded?.document else {
      // The patch cannot be expanded: its text and its settings are the key.
      let settings = job.settings.map { "\($0.name)=\($0.value.compact)" }.joined(separator: "\n")
      let texts = [Array("as written ".utf8) + source.text.bytes + Array(settings.utf8)]
      return (.init(pieces: texts, gaps: [], unnamed: patch.inputFiles.sorted()), false)
    }
    let text = CanonicalText(
      document,
      file: { text in
        let path = FilePolicy.join(source.directory, text)
        return read.contains(path) ? path : nil
      },
      output: { written.contains(FilePolicy.join(source.directory, $0)) })
    var counts: [String: Int] = [:]
    for file in text.files { counts[file, default: 0] += 1 }
    var inputs: [String: String] = [:]
    var isReusable = true
    for input in job.inputs where input.place != BatchJob.microphone {
      let path = BatchContext.absolute(context.path(input.path))
      if inputs[path] != nil || counts[path] != 1 { isReusable = false }
      inputs[path] = input.place
    }
    let gaps = text.files.map { file in
      inputs[file].map { PatchCache.Template.Gap.input($0) } ?? .file(file)
    }
    let unnamed = read.union(patch.libraries.map(\.path)).subtracting(text.files).sorted()
    return (
      .init(
        pieces: text.pieces, gaps: gaps, unnamed: unnamed, contained: built.contained.sorted()),
      isReusable
    )
  }

  private func assumptionOrNone() -> HardwareAssumption {
    do throws(JobFault) { return try assumption() } catch { return context.assumption }
  }

  private func key(_ template: PatchCache.Template) throws(JobFault) -> Key {
    var reads: [(path: String, digest: String)] = []
    var hashing = Hashing()
    hashing.add("patchrun batch key 1")
    hashing.add(context.version)
    hashing.add(context.kernel)
    hashing.add(job.outputOptions.compact)
    for (number, piece) in template.pieces.enumerated() {
      hashing.add(piece)
      guard template.gaps.indices.contains(number) else { continue }
      switch template.gaps[number] {
      case .input(let place):
        let input = job.inputs.firstIndex { $0.place == place }
        if let input { hashing.add(inputDigests[input]) }
      case .file(let path):
        let digest = try self.digest(ofRead: path)
        hashing.add(digest)
        reads.append((path, digest.description))
      }
    }
    for path in template.unnamed {
      let digest = try self.digest(ofRead: path)
      hashing.add("reads")
      hashing.add(digest)
      reads.append((path, digest.description))
    }
    for (number, input) in job.inputs.enumerated() where input.place == BatchJob.microphone {
      hashing.add("microphone")
      hashing.add(inputDigests[number])
    }
    let key = hashing.finish()
    var outputHashing = Hashing()
    outputHashing.add(key)
    for output in job.outputs { outputHashing.add(output.path) }
    for path in template.contained {
      reads.append((path, try self.digest(ofRead: path).description))
    }
    var seen: Set<String> = []
    return Key(
      digest: key, outputKey: outputHashing.finish(),
      reads: reads.filter { seen.insert($0.path).inserted })
  }

  private func digest(ofRead path: String) throws(JobFault) -> Digest {
    do throws(FileRefusal) { return try files.digest(of: path).digest } catch {
      throw JobFault(BatchRules.patch, error.message(for: path), help: [error.help])
    }
  }
}
