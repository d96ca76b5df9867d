import AudioTypes
import FileAccess
import RenderCore

/// The kinds of callback there are.
public enum CallbackCatalog {
  /// A line for each kind.
  public static let standard: [CallbackDescription] = [
    FileCallback.description, ToneCallback.description, NoiseCallback.description,
    SweepCallback.description, ImpulseCallback.description, SilenceCallback.description,
    ExpressionCallback.description, GainCallback.description, TremoloCallback.description,
    RingModulatorCallback.description, EchoCallback.description, ConvolutionCallback.description,
    NativeCallback.description,
    PatchInputCallback.description,
  ]

  /// The kind that a patch calls so; `nil` for none.
  public static func description(of kind: String) -> CallbackDescription? {
    standard.first { $0.kind == kind }
  }
}
