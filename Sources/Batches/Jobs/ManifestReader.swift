import PatchSyntax
import Synchronization

/// A line of a manifest as JSON text.
public struct ManifestLine: Sendable {
  /// The number of the line, from 1.
  public var number: Int
  public var text: [UInt8]
  /// Why the line could not be converted to JSON; `nil` if it could.
  public var fault: JobFault?
}

/// A selection of lines. Empty lines are not counted.
public struct LineSelection: Sendable, Hashable {
  /// A part of the lines, from 1, and the number of parts. Each line is in exactly one part.
  public var shard: (part: Int, count: Int)?
  /// A range of line numbers, from 1.
  public var lines: ClosedRange<Int>?

  public init(shard: (part: Int, count: Int)? = nil, lines: ClosedRange<Int>? = nil) {
    self.shard = shard
    self.lines = lines
  }

  /// - Parameters:
  ///   - index: The index of the job, from 0.
  ///   - line: The number of its line, from 1.
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

/// Reads a manifest of JSON lines or CSV line by line. Any thread.
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

  /// - Parameter path: `-` is standard input with JSON lines. A file that ends in `.csv` is CSV.
  /// - Throws: If the file cannot be opened.
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

  /// Why the manifest could not be read to its end; `nil` if it could.
  public var failure: String? { state.withLock { $0.failure } }

  /// The next selected line; `nil` at the end.
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
          // No line can be read without the header.
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
