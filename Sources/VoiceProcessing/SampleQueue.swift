import RenderCore

/// A first-in, first-out queue for the frames of one channel, with a fixed capacity.
struct SampleQueue: ~Copyable {
  private let memory: SampleStorage
  private var first = 0
  private(set) var count = 0

  /// An empty queue.
  init(capacity: Int) {
    memory = SampleStorage(repeating: 0, count: max(1, capacity))
  }

  var room: Int { @_noLocks get { memory.count - count } }

  /// The place behind the newest frame.
  private var end: Int {
    @_noLocks get {
      let place = first + count
      return place < memory.count ? place : place - memory.count
    }
  }

  /// Adds frames; there must be room.
  @_noLocks
  mutating func push(_ samples: ChannelBuffer) {
    precondition(samples.count <= room, "no room in the queue")
    let place = end
    let whole = memory.count - place
    memory.buffer(at: place, count: samples.count < whole ? samples.count : whole)
      .copy(from: samples)
    if samples.count > whole {
      memory.buffer(at: 0, count: samples.count - whole).copy(from: samples.dropping(whole))
    }
    count += samples.count
  }

  @_noLocks
  mutating func pushSilence(_ frameCount: Int) {
    precondition(frameCount <= room, "no room in the queue")
    for _ in 0..<frameCount {
      memory[end] = 0
      count += 1
    }
  }

  /// Takes the oldest frames; at least `samples.count` must be in the queue.
  @_noLocks
  mutating func pop(into samples: ChannelBuffer) {
    precondition(samples.count <= count, "not so many frames in the queue")
    let whole = memory.count - first
    samples.copy(
      from: memory.buffer(at: first, count: samples.count < whole ? samples.count : whole))
    if samples.count > whole {
      samples.dropping(whole).copy(from: memory.buffer(at: 0, count: samples.count - whole))
    }
    first = samples.count < whole ? first + samples.count : samples.count - whole
    count -= samples.count
  }
}
