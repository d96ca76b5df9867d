public import AudioTypes

/// What is told that somebody speaks while a Voice-Processing I/O unit is muted: Core Audio's muted
/// speech activity listener.
///
/// It is called on the render thread, and keeps its rules: no allocation, no lock, no system call.
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

/// Tells a listener of what the unit's own kernel has noted among the controls.
///
/// `@safe`: the listener and the controls are in the company of the kernel's box.
@safe
public struct MutedSpeechKernel: RenderKernel {
  private let listener: Unmanaged<MutedSpeechActivityListener>
  private let controls: ControlAccess
  private let word: Int
  private var isSpeaking = false

  /// - Parameter word: The control that is 1 while somebody speaks, and 0 otherwise.
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

  // A client's own code: what it does on the render thread is its own promise.
  @_semantics("no_performance_analysis")
  private func call(_ event: MutedSpeechActivityListener.Event) {
    unsafe listener._withUnsafeGuaranteedRef { $0.body(event) }
  }
}
