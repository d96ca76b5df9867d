import PatchSyntax

extension Schema {
  static let deviceChoice: JSONText = [
    "description": """
    A name, or a pattern of it, in which '*' stands for any characters and '?' for one; or patterns of \
    several properties, all of which have to hold.
    """,
    "anyOf": [
      ["type": "string", "minLength": 1],
      [
        "type": "object",
        "minProperties": 1,
        "properties": [
          "name": pattern("What --sink and --source take."),
          "description": pattern("What a person calls it."),
          "driver": pattern("What drives it, in the server's words."),
          "bus": pattern("What it hangs on: \"usb\", \"pci\", \"bluetooth\"."),
          "comment": reference("comment"),
        ],
        "patternProperties": [
          "^[^.]*[.]": pattern("A property of the server's: \"device.bus_path\".")
        ],
        "additionalProperties": false,
      ],
    ],
  ]

  private static func pattern(_ summary: String) -> JSONText {
    ["description": .string(summary), "type": "string", "minLength": 1]
  }
}
