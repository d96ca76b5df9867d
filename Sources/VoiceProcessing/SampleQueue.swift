import RenderCore

/// Frames of one channel that wait: first in, first out, with room for a fixed number.
struct SampleQueue: ~Copyable {
  private let memory: SampleStorage
  private var first = 0
  private(set) var count = 0

  /// An empty queue.
  init(capacity: Int) {
    memory = SampleStorage(repeating: 0, count: max(1, capacity))
  }

  var room: Int { @_noLocks get { memory.count - count } }

  /// Adds frames; there must be room.
  @_noLocks
  mutating func push(_ samples: ChannelBuffer) {
    precondition(samples.count <= room, "no room in the queue")
    var place = first + count
    if place >= memory.count { place -= memory.count }
    for index in samples.indices {
      memory[place] = samples[index]
      place = place + 1 == memory.count ? 0 : place + 1
    }
    count += samples.count
  }

  @_noLocks
  mutating func pushSilence(_ frameCount: Int) {
    precondition(frameCount <= room, "no room in the queue")
    for _ in 0..<frameCount {
      var place = first + count
      if place >= memory.count { place -= memory.count }
      memory[place] = 0
      count += 1
    }
  }

  /// Takes the oldest frames; there must be as many.
  @_noLocks
  mutating func pop(into samples: ChannelBuffer) {
    precondition(samples.count <= count, "not so many frames in the queue")
    for index in samples.indices {
      samples[index] = memory[first]
      first = first + 1 == memory.count ? 0 : first + 1
    }
    count -= samples.count
  }
}
