import AudioTypes
import FileAccess
import PatchSyntax
import SoundFiles

/// A sound file of a job. One thread at a time may use it.
///
/// `@unchecked Sendable`: the render loop and the tap that writes to it run on one thread.
final class OutputWriter: @unchecked Sendable {
  let path: String
  private let job: BatchJob
  private var writer: SoundFileWriter?
  private var failure: JobFault?

  init(_ path: String, _ job: BatchJob) {
    self.path = path
    self.job = job
  }

  /// Opens the file and creates its folder if necessary.
  func open(_ format: StreamFormat) throws(JobFault) {
    do throws(RawFile.Failure) {
      try RawFile.makeFolder(FilePolicy.folder(of: path))
    } catch {
      throw JobFault(BatchRules.output, "the folder cannot be made: \(error.message)")
    }
    do throws(SoundFileError) {
      writer = try SoundFileWriter(
        path: path, files: .user, existing: .replaceOwn { SoundFileMark.isSet($0) }, format: format,
        sampleType: job.format, quality: job.quality)
      // `RecordStore` flushes the outputs once a second.
      writer?.diskWait = .byCaller
    } catch {
      throw JobFault(BatchRules.output, error.message, help: [error.help])
    }
  }

  /// Writes interleaved samples. `finish()` throws the first error.
  func write(_ samples: [Double], frameCount: Int) {
    writing { writer throws(SoundFileError) in try writer.write(samples, frameCount: frameCount) }
  }

  func write(_ samples: [Float], count: Int) {
    writing { writer throws(SoundFileError) in
      try writer.write(samples, frameCount: count / writer.channelCount)
    }
  }

  private func writing(_ body: (SoundFileWriter) throws(SoundFileError) -> Void) {
    guard let writer, failure == nil else { return }
    do throws(SoundFileError) { try body(writer) } catch {
      failure = JobFault(BatchRules.output, error.message, help: [error.help])
    }
  }

  /// Closes the file and gives it its final name. Returns the clipped samples, if any.
  func finish() throws(JobFault) -> Clipping? {
    if let failure { throw failure }
    guard let writer else { return nil }
    do throws(SoundFileError) { try writer.close() } catch {
      throw JobFault(BatchRules.output, error.message, help: [error.help])
    }
    return writer.clipping
  }

  /// Removes the unfinished file. Does nothing after `finish()`.
  func discard() {
    guard let writer else { return }
    let place = writer.unfinishedPath
    guard place != writer.path else { return }
    writer.abandon()
    RawFile.remove(place)
  }
}
