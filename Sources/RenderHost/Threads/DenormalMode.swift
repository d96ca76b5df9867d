import CShims

/// Whether a thread computes with denormal numbers, or takes them for zero.
struct DenormalMode {
  private let bits: UInt32

  /// The mode of the calling thread.
  static var current: DenormalMode {
    let bits = shims_denormals_off()
    shims_denormals_restore(bits)
    return DenormalMode(bits: bits)
  }

  /// Calls a body with this mode, so that it computes the same bits as on the thread that has it.
  func run(_ body: () -> Void) {
    let previous = shims_denormals_off()
    shims_denormals_restore(bits)
    body()
    shims_denormals_restore(previous)
  }
}
