public import AudioTypes

/// Called when somebody starts or stops speaking while a Voice-Processing I/O unit is muted: Core
/// Audio's muted speech activity listener.
///
/// Called on the render thread, whose rules it must keep: no allocation, no lock, no system call.
public final class MutedSpeechActivityListener: Sendable {
  /// Core Audio's `AUVoiceIOSpeechActivityEvent`.
  public enum Event: UInt32, Sendable, BitwiseCopyable {
    case started = 0
    case ended = 1
  }

  public typealias Body = @Sendable (Event) -> Void

  let body: Body

  public init(_ body: @escaping Body) { self.body = body }
}

/// Calls a listener when the control in which the unit's kernel reports speech changes.
///
/// `@safe`: the kernel's box retains the listener and the controls.
@safe
public struct MutedSpeechKernel: RenderKernel {
  private let listener: Unmanaged<MutedSpeechActivityListener>
  private let controls: ControlAccess
  private let word: Int
  private var isSpeaking = false

  /// - Parameter word: The index of the control, which is 1 while somebody speaks, and 0 otherwise.
  public init(_ listener: MutedSpeechActivityListener, controls: ControlAccess, word: Int) {
    unsafe self.listener = .passUnretained(listener)
    self.controls = controls
    self.word = word
  }

  @_noLocks
  public mutating func render(_ context: RenderContext) -> Status {
    let now = controls[word: word] != 0
    if now != isSpeaking {
      isSpeaking = now
      call(now ? .started : .ended)
    }
    return .ok
  }

  // The client's code, which must keep the render thread's rules.
  @_semantics("no_performance_analysis")
  private func call(_ event: MutedSpeechActivityListener.Event) {
    unsafe listener._withUnsafeGuaranteedRef { $0.body(event) }
  }
}
