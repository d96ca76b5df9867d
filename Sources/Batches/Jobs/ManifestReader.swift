import AudioTypes
import PatchSyntax
import Synchronization

/// A line of a manifest, as JSON.
public struct ManifestLine: Sendable {
  /// From 1.
  public var number: Int
  public var text: [UInt8]
  /// Why there is no such text; `nil` where there is.
  public var fault: JobFault?
}

/// Which lines of a manifest are meant. Empty lines are not counted.
public struct LineSelection: Sendable, Hashable {
  /// The i-th of n parts, from 1; together they are all, and no line is in two.
  public var shard: (part: Int, count: Int)?
  /// Numbers of lines, from 1.
  public var lines: ClosedRange<Int>?

  public init(shard: (part: Int, count: Int)? = nil, lines: ClosedRange<Int>? = nil) {
    self.shard = shard
    self.lines = lines
  }

  /// - Parameters:
  ///   - index: Of the job among all, from 0.
  ///   - line: The number of its line.
  public func has(index: Int, line: Int) -> Bool {
    if let lines, !lines.contains(line) { return false }
    guard let shard else { return true }
    return index % shard.count == shard.part - 1
  }

  public static func == (left: LineSelection, right: LineSelection) -> Bool {
    left.shard?.part == right.shard?.part && left.shard?.count == right.shard?.count
      && left.lines == right.lines
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(shard?.part)
    hasher.combine(shard?.count)
    hasher.combine(lines)
  }
}

/// Reads a manifest, JSON lines or CSV, a line at a time. Any thread.
public final class ManifestReader: Sendable {
  private struct State {
    var lines: LineReader
    var header: CSVHeader?
    var number = 0
    var index = 0
    var failure: String?
  }

  private let state: Mutex<State>
  private let selection: LineSelection
  private let isCSV: Bool

  /// - Parameter path: `-` is standard input: JSON lines. What ends in `.csv` is CSV.
  public init(_ path: String, _ selection: LineSelection = LineSelection()) throws(JobFault) {
    self.selection = selection
    isCSV = path.lowercased().hasSuffix(".csv")
    do throws(RawFile.Failure) {
      let file =
        path == "-"
        ? RawFile(standardInput: "standard input") : try RawFile(path, for: .reading)
      state = Mutex(State(lines: LineReader(file)))
    } catch {
      throw JobFault(BatchRules.line, "the manifest cannot be read: \(error.message)")
    }
  }

  /// Why the manifest could not be read to its end; `nil` for no reason.
  public var failure: String? { state.withLock { $0.failure } }

  /// The next line that is meant; `nil` at the end.
  public func next() -> ManifestLine? { state.withLock { next(&$0) } }

  private func next(_ state: inout State) -> ManifestLine? {
    while true {
      let read: ArraySlice<UInt8>?
      do throws(RawFile.Failure) { read = try state.lines.next() } catch {
        state.failure = error.message
        return nil
      }
      guard let line = read else { return nil }
      state.number += 1
      guard line.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { continue }
      if isCSV, state.header == nil {
        do throws(JobFault) { state.header = try CSVHeader(Array(line)) } catch {
          // Without a header no line means anything.
          state.failure = "line \(state.number): \(error.message)"
          return nil
        }
        continue
      }
      if let last = selection.lines?.upperBound, state.number > last { return nil }
      let index = state.index
      state.index += 1
      guard selection.has(index: index, line: state.number) else { continue }
      guard let header = state.header else {
        return ManifestLine(number: state.number, text: Array(line))
      }
      do throws(JobFault) {
        return ManifestLine(number: state.number, text: try header.json(Array(line)))
      } catch {
        return ManifestLine(number: state.number, text: Array(line), fault: error)
      }
    }
  }
}
