import Diagnostics
import NIOHTTP1
import PatchSyntax

/// The recordings of the run.
extension Routes {
  func takes(_ request: ControlRequest, _ target: RequestTarget) async -> ControlResponse {
    guard let text = target["number"] else {
      return .json(["takes": .array(await patch.takes().map(\.json))])
    }
    guard let number = Int(text),
      let take = await patch.takes().first(where: { $0.number == number })
    else {
      return .problem(.notFound, "this run has no take '\(text)'", help: ["GET /takes lists them"])
    }
    guard let file = await patch.openTake(number) else {
      return .problem(.gone, "'\(take.file)' is not there any more, or another file by now")
    }
    let tag = "\(number)-" + String(file.byteCount, radix: 16)
    var headers = [
      ("ETag", EntityTags.quoted(tag)), ("Accept-Ranges", "bytes"),
      ("Content-Type", take.mediaType),
      ("Content-Disposition", "attachment; filename*=UTF-8''" + percentEncoded(take.name)),
    ]
    if EntityTags("If-None-Match", in: request.headers)?.matchesWeakly(tag) == true {
      return ControlResponse(status: .notModified, headers: headers)
    }
    let isSame = EntityTags("If-Range", in: request.headers)?.matches(tag) ?? true
    switch isSame ? ByteRange(request.headers["Range"], of: file.byteCount) : .all {
    case .all: return ControlResponse(headers: headers, .file(file, 0..<file.byteCount))
    case .part(let range):
      headers.append(
        ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.byteCount)"))
      return ControlResponse(status: .partialContent, headers: headers, .file(file, range))
    case .none:
      return .problem(
        .rangeNotSatisfiable, "the file has \(file.byteCount) bytes",
        headers: [("Content-Range", "bytes */\(file.byteCount)")])
    }
  }
}

/// The requested range of a file (RFC 9110, 14.2): one range, or the whole file.
enum ByteRange: Hashable {
  case all
  case part(Range<Int>)
  /// A range beyond the end of the file.
  case none

  /// - Parameter fields: The values of `Range`. A malformed value, another unit, or several ranges
  ///   request the whole file.
  init(_ fields: [String], of count: Int) {
    self = .all
    let unit = "bytes="
    guard fields.count == 1, fields[0].lowercased().hasPrefix(unit) else { return }
    let ends = fields[0].dropFirst(unit.count).filter { $0 != " " }
      .split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return }
    let isNumber: (Substring) -> Bool = { $0.utf8.allSatisfy { (48...57).contains($0) } }
    guard ends.allSatisfy(isNumber), !ends.allSatisfy(\.isEmpty) else { return }
    if ends[0].isEmpty {
      let length = min(count, Int(ends[1]) ?? count)
      self = length > 0 ? .part((count - length)..<count) : .none
      return
    }
    guard let first = Int(ends[0]), first < count else {
      self = .none
      return
    }
    // A number too large for `Int` is beyond the end of every file.
    let last = Int(ends[1]) ?? count - 1
    if last >= first { self = .part(first..<min(count, last + 1)) }
  }
}
