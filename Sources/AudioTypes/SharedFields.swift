/// The fields of a description behind one reference, with value semantics: descriptions are copied
/// far more often than they are made, and a copy would otherwise retain each field.
struct SharedFields<Fields: Hashable & Sendable>: Hashable, Sendable {
  private final class Storage: Sendable {
    let fields: Fields

    init(_ fields: Fields) { self.fields = fields }
  }

  private var storage: Storage

  init(_ fields: Fields) { storage = Storage(fields) }

  /// A change makes a new storage, so that other copies keep the old values.
  var fields: Fields {
    get { storage.fields }
    set { storage = Storage(newValue) }
  }

  static func == (left: Self, right: Self) -> Bool {
    left.storage === right.storage || left.storage.fields == right.storage.fields
  }

  func hash(into hasher: inout Hasher) { hasher.combine(storage.fields) }
}
