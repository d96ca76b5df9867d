public import AudioTypes

extension NameRules {
  /// A ramp names a parameter of a node, or a setting of a callback, of the patch.
  public static let timelinePath = Rule(
    "PR0215", "timeline/path",
    "a ramp names a parameter of a node, or a setting of a callback, of the patch",
    statuses: [.invalidParameter, .nodeNotFound],
    page: .init(
      "A ramp of the timeline leads to a parameter of a node of the patch, or to a setting of one of "
        + "its callbacks.",
      because: """
        Parameters can ramp (AudioUnitScheduleParameters), and so can the live settings of callbacks,
        a file's gain or a tone's frequency; properties and the rest of the document cannot. The
        place is that of the parameter or the setting in the patch, whether the patch sets it or not.
        """,
      statusNote: """
        AUGraph answers -10860 for a node that it does not have; that a ramp of one gets it too is \
        patchrun's choice.
        """,
      example: .patch(ExamplePatches.timed, wrong: ["/parameters/volume": "/parameters/volum"])))
}
