import AudioTypes
public import Diagnostics

/// The copies in a text whose repetitions have been written out.
public struct Copies: Sendable {
  /// One copy.
  struct Copy: Sendable {
    /// Its range in the text.
    var range: SourceRange
    /// The offset at which its repetition is written.
    var template: Int
    /// The numbers of the copies that it is in, the outermost first, and its own number last.
    var numbers: [Int]
    /// The index of the copy around it; `nil` for none.
    var outer: Int?
  }

  /// In the order in which they begin: a copy comes before those inside it.
  private(set) var all: [Copy] = []

  public init() {}

  public var isEmpty: Bool { all.isEmpty }

  mutating func begin(at offset: Int, of template: Int, numbers: [Int], in outer: Int?) -> Int {
    all.append(Copy(range: offset..<offset, template: template, numbers: numbers, outer: outer))
    return all.count - 1
  }

  mutating func end(_ copy: Int, at offset: Int) {
    all[copy].range = all[copy].range.lowerBound..<offset
  }

  /// The copies in a text that follows another.
  func moved(by distance: Int) -> Copies {
    var moved = self
    for index in moved.all.indices {
      let range = moved.all[index].range
      moved.all[index].range = (range.lowerBound + distance)..<(range.upperBound + distance)
    }
    return moved
  }

  /// Adds the copies of a text that follows this one's.
  public mutating func add(_ others: Copies) {
    let first = all.count
    for var copy in others.all {
      copy.outer = copy.outer.map { $0 + first }
      all.append(copy)
    }
  }

  /// The innermost copy that an offset is in.
  private func copy(holding offset: Int) -> Copy? {
    var low = 0
    var high = all.count
    while low < high {
      let middle = (low + high) / 2
      if all[middle].range.lowerBound > offset { high = middle } else { low = middle + 1 }
    }
    var index: Int? = low > 0 ? low - 1 : nil
    while let found = index, all[found].range.upperBound <= offset { index = all[found].outer }
    return index.map { all[$0] }
  }

  // MARK: Findings

  private struct Place: Hashable {
    var code: String
    var range: SourceRange
    var file: String
  }

  /// The findings of a text. Findings in several copies at one place become one, with the names of
  /// the copies. A fix stays only where it corrects all copies.
  public func merged(_ diagnostics: [Diagnostic], in source: SourceText) -> [Diagnostic] {
    guard !isEmpty else { return diagnostics }
    var result: [Diagnostic] = []
    /// For each place: the index of its finding in the result, the copies, and the edits that hold
    /// in all.
    var groups: [Place: (index: Int, copies: [Copy], fixes: [Diagnostic.Fix])] = [:]
    var order: [Place] = []
    for diagnostic in diagnostics {
      guard let copy = copy(holding: diagnostic.range.lowerBound) else {
        var diagnostic = diagnostic
        // An edit in a copy would change the one text that all copies come from.
        diagnostic.fixes.removeAll { fix in
          fix.edits.contains { self.copy(holding: $0.range.lowerBound) != nil }
        }
        result.append(diagnostic)
        continue
      }
      let (text, range) = source.origin(of: diagnostic.range)
      let place = Place(code: diagnostic.code.rawValue, range: range, file: text.name)
      let fixes = written(diagnostic.fixes, in: source)
      if var group = groups[place] {
        if group.copies.last?.numbers != copy.numbers { group.copies.append(copy) }
        if group.fixes != fixes { group.fixes = [] }
        groups[place] = group
      } else {
        groups[place] = (result.count, [copy], fixes)
        order.append(place)
        result.append(diagnostic)
      }
    }
    for place in order {
      guard let group = groups[place], let template = group.copies.first?.template else { continue }
      let total = all.count { $0.template == template }
      result[group.index].help.append(Self.words(group.copies, of: total))
      if group.copies.count < total || group.fixes.isEmpty { result[group.index].fixes = [] }
    }
    return result
  }

  /// The fixes with ranges in the written text; none where an edit is in text generated for a copy.
  private func written(_ fixes: [Diagnostic.Fix], in source: SourceText) -> [Diagnostic.Fix] {
    var written: [Diagnostic.Fix] = []
    for var fix in fixes {
      for index in fix.edits.indices {
        let (text, range) = source.origin(of: fix.edits[index].range)
        guard text[range] == source[fix.edits[index].range] else { return [] }
        fix.edits[index].range = range
      }
      written.append(fix)
    }
    return written
  }

  /// The words for the copies that a finding is in.
  private static func words(_ copies: [Copy], of total: Int) -> String {
    if copies.count == total, total > 1 { return "it is so in all \(total) copies" }
    func name(_ copy: Copy) -> String {
      zip(CopyFormula.letters, copy.numbers).map { "\($0) = \($1)" }.joined(separator: ", ")
    }
    if copies.count == 1 { return "it is so in the copy with \(name(copies[0]))" }
    let shown = copies.prefix(4).map(name).joined(separator: "; ")
    let more = copies.count > 4 ? "; and \(copies.count - 4) more" : ""
    return "it is so in \(copies.count) of \(total) copies: \(shown)\(more)"
  }
}
