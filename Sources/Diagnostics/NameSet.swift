/// Names that many others are looked up in.
package struct NameSet: Sendable {
  private let names: Set<String>
  /// All names where they are few: comparing takes less time than hashing.
  private let few: [String]?

  package init(_ names: some Sequence<String>) {
    self.names = Set(names)
    few = self.names.count <= 4 ? Array(self.names) : nil
  }

  package var isEmpty: Bool { names.isEmpty }

  package func contains(_ name: String) -> Bool { few?.contains(name) ?? names.contains(name) }
}
