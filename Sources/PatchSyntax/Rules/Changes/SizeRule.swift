public import AudioTypes

extension ChangeRules {
  /// Operations make no document that is too deep or too long.
  public static let size = Rule(
    "PR0905", "change/size",
    "operations make no document that is too deep or too long",
    page: .init(
      "Operations make no document that is too deep or too long.",
      because: """
        Values are nested 512 deep at most, and all of the operations together copy 64 MiB at most: a few
        that copy what those before have copied would ask for more memory than there is.
        """,
      example: .none("An example would be too long to show.")))
}
