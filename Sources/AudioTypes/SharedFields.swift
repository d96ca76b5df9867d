/// The fields of a description behind one reference, with the meaning of a value: a description is handed
/// about far more often than it is made, and each of its fields would be counted anew.
struct SharedFields<Fields: Hashable & Sendable>: Hashable, Sendable {
  private final class Storage: Sendable {
    let fields: Fields

    init(_ fields: Fields) { self.fields = fields }
  }

  private var storage: Storage

  init(_ fields: Fields) { storage = Storage(fields) }

  /// Whoever changes one of them has a copy of its own from then on.
  var fields: Fields {
    get { storage.fields }
    set { storage = Storage(newValue) }
  }

  static func == (left: Self, right: Self) -> Bool {
    left.storage === right.storage || left.storage.fields == right.storage.fields
  }

  func hash(into hasher: inout Hasher) { hasher.combine(storage.fields) }
}
