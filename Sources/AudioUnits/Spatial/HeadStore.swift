internal import Glibc
internal import HeadData
internal import RenderCore
internal import Synchronization

/// Where the tables of the distribution's head are kept from one run of a program to the next.
struct HeadStore {
  let folder: PreparedFolder
  private let source: Digest

  private static let chosen = Mutex<PreparedFolder?>(nil)

  static func choose(_ folder: PreparedFolder?) { chosen.withLock { $0 = folder } }

  /// `nil` where nothing is to be kept, and where there is no data set.
  static var current: HeadStore? {
    guard let folder = chosen.withLock({ $0 }),
      let source = Digest(ofFile: HeadDataSet.defaultPath)
    else { return nil }
    return HeadStore(folder: folder, source: source)
  }

  /// The key of what is prepared from the data set for a sample rate: with all that the bits of a
  /// table depend on.
  func key(_ kind: String, rate: Double) -> PreparedKey {
    PreparedKey(kind, [Self.version] + source.words + [rate.bitPattern] + Self.arithmetic)
  }

  /// Higher by one with each change of what a table holds, or of how it is computed.
  private static let version: UInt64 = 1

  /// Marks of the vectors, of libm and of the transform that tables are computed with.
  private static let arithmetic: [UInt64] = {
    // A filter with all frequencies, with a delay between two frames.
    let filter = (0..<64).map { Float(sin(Double($0 * $0))) / Float($0 + 1) }
    let table = FilterPairTable(
      left: [filter], right: [filter.reversed()], leftDelays: [0.3], rightDelays: [7.7],
      blockLength: 64)
    return Digest(of: table.bytes).words + PreparedKey.library
      + VectorMath.name.utf8.map(UInt64.init)
  }()
}

extension Mixer3D {
  /// Has the program keep what it prepares of a head, which takes long, from one run to the next.
  ///
  /// Without it nothing is kept. Before the first graph is made: a table that there is stays as it
  /// is. What is heard does not depend on it, and what cannot be read or kept there is prepared as
  /// if there were no folder.
  ///
  /// - Parameter folder: A path from `/` on. The last folder of it is made where it is not there; it
  ///   is the user's own, has no other use, and may be deleted at any time.
  public static func keepHeads(in folder: String) {
    HeadStore.choose(PreparedFolder(path: folder))
  }
}
