/// The kinds of callbacks.
public enum CallbackCatalog {
  /// One line for each kind.
  public static let standard: [CallbackDescription] = [
    FileCallback.description, ToneCallback.description, NoiseCallback.description,
    SweepCallback.description, ImpulseCallback.description, SilenceCallback.description,
    ExpressionCallback.description, GainCallback.description, TremoloCallback.description,
    RingModulatorCallback.description, EchoCallback.description, ConvolutionCallback.description,
    NativeCallback.description,
    PatchInputCallback.description,
  ]

  /// The kind with this name in a patch; `nil` where there is none.
  public static func description(of kind: String) -> CallbackDescription? {
    standard.first { $0.kind == kind }
  }
}
