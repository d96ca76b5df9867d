/// Pans a source as a sound field that two microphones hear at the listener's place.
///
/// First-order Ambisonics: a source of signal s adds s to the pressure W, and s times the sine of
/// its angle to the side to the gradient Y. Two cardioids, facing left and right, receive (W - Y) /
/// 2 and (W + Y) / 2. All of it is linear, so that a source has two gains; their sum is 1
/// everywhere, and a sum of both channels loses nothing.
enum SoundFieldPanning {
  @_noLocks
  static func gains(_ direction: SourceDirection) -> StereoGains {
    StereoGains(left: (1 - direction.right) / 2, right: (1 + direction.right) / 2)
  }
}
