import PictureTaps
public import RenderTaps

extension TapCatalog {
  /// The kinds of tap that a patch may name: those of `standard`, and pictures.
  public static let ofPatches = standard.adding(PictureTap.description)
}
