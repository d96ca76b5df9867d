internal import Glibc
internal import HeadData
internal import RenderCore
internal import Synchronization

/// Keeps the tables of the distribution's head from one run of a program to the next.
struct HeadStore {
  let folder: PreparedFolder
  private let source: Digest

  /// The path of the folder.
  private static let chosen = Mutex<String?>(nil)

  static func choose(_ path: String?) { chosen.withLock { $0 = path } }

  /// `nil` without a folder, and without a data set.
  static var current: HeadStore? {
    guard let path = chosen.withLock({ $0 }), let folder = PreparedFolder(path: path),
      let source = Digest(ofFile: HeadDataSet.defaultPath)
    else { return nil }
    return HeadStore(folder: folder, source: source)
  }

  /// The key of a table prepared from the data set for a sample rate: it contains everything that
  /// the bits of the table depend on.
  func key(_ kind: String, rate: Double) -> PreparedKey {
    PreparedKey(kind, [Self.version] + source.words + [rate.bitPattern] + Self.arithmetic)
  }

  /// Increment it with each change of a table's contents, or of their computation.
  private static let version: UInt64 = 1

  /// Identifies the vectors, the libm and the transform that tables are computed with.
  private static let arithmetic: [UInt64] = {
    // A filter with all frequencies, and a delay between two frames.
    let filter = (0..<64).map { Float(sin(Double($0 * $0))) / Float($0 + 1) }
    let table = FilterPairTable(
      left: [filter], right: [filter.reversed()], leftDelays: [0.3], rightDelays: [7.7],
      blockLength: 64)
    return Digest(of: table.bytes).words + PreparedKey.library
      + VectorMath.name.utf8.map(UInt64.init)
  }()
}

extension Mixer3D {
  /// Caches the tables of a head, which take long to prepare, in a folder, for later runs of the
  /// program.
  ///
  /// Without this call nothing is cached. Call it before the first graph is made: tables that exist
  /// already are not affected. The sound does not depend on it: a table that cannot be read from
  /// the folder is computed.
  ///
  /// - Parameter folder: An absolute path. Its last folder is made where it is missing; it is the
  ///   user's own, has no other use, and may be deleted at any time.
  public static func keepHeads(in folder: String) {
    HeadStore.choose(folder)
  }
}
