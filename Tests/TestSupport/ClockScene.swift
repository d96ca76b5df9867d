public import RenderHost

/// A simulation of a microphone and a loudspeaker with independent clocks: the time of every
/// delivery and every request, without audio.
public struct ClockScene: CustomStringConvertible, Sendable {
  /// The part that is interrupted now and then.
  public enum Stall: String, Sendable {
    /// Deliveries are held up and then come together.
    case delivery
    /// The source loses the frames of that time.
    case source
    /// The sink takes nothing, and stays that much later.
    case sink
    /// The sink's buffer gets smaller: its requests are that much later from then on, and nothing
    /// is lost.
    case buffer
    /// The thread that notes deliveries and requests does not run.
    case thread
  }

  public var sampleRate = 48_000.0
  /// How much faster the source's clock is than the sink's, in parts per million.
  public var drift = 0.0
  /// How much faster the sink's clock is than the machine's, in parts per million.
  public var sinkDrift = -70.0
  public var hours = 1.0
  /// The number of frames of a delivery, and of a request.
  public var lump = 1024
  public var pull = 1024
  /// The largest delay with which deliveries and requests are noted, in seconds; uniformly
  /// distributed.
  public var lateness = 0.001
  /// One delay in this many is ten times as long; 0 for none.
  public var oddity = 200
  public var stall: Stall?
  /// The length of a stall and the time between stalls, in seconds.
  public var stallLength = 0.3
  public var stallInterval = 600.0
  public var seed: UInt64 = 1

  public init(
    sampleRate: Double = 48_000, drift: Double = 0, hours: Double = 1, lump: Int = 1024,
    pull: Int = 1024, lateness: Double = 0.001, oddity: Int = 200, stall: Stall? = nil,
    stallLength: Double = 0.3, seed: UInt64 = 1
  ) {
    self.sampleRate = sampleRate
    self.drift = drift
    self.hours = hours
    self.lump = lump
    self.pull = pull
    self.lateness = lateness
    self.oddity = oddity
    self.stall = stall
    self.stallLength = stallLength
    self.seed = seed
  }

  public var description: String {
    let stall = stall.map { ", \($0.rawValue) stalls of \(stallLength) s" } ?? ""
    return "\(drift) ppm, \(lump) in and \(pull) out at \(sampleRate) Hz, "
      + "\(lateness * 1000) ms late\(stall), seed \(seed)"
  }

  public struct Outcome: Sendable {
    public var follower: ClockFollower
    /// The deviation of the latency from its target after settling, in seconds: the largest, and
    /// that of 99 of 100 pulls. Pulls that lacked frames are left out.
    public var worstLatency = 0.0
    public var usualLatency = 0.0
    /// The time from capture to request of the last frame, in seconds.
    public var latency = 0.0
    /// The deviation from the original pitch after settling, in cents.
    public var worstPitch = 0.0
    public var usualPitch = 0.0
    /// When the latency was last off by more than 1 ms before it settled, in seconds after the
    /// start.
    public var settledAfter = 0.0
    /// How often the target was raised, and by how much in total, in seconds.
    public var raises = 0
    public var raised = 0.0
    /// Frames that were missing, that were skipped, and that were replaced by silence.
    public var missing = 0
    public var skipped = 0
    public var padded = 0
    public var wasRatioOne = true
    /// The latency before the first stall.
    public var earlyLatency = 0.0
  }

  /// Runs the scene.
  ///
  /// - Parameter settling: Seconds after the start, and after each stall, that do not count.
  public func run(settling: Double = 30) -> Outcome {
    var generator = SplitMix64(seed: seed)
    func late() -> Double {
      let odd = oddity > 0 && generator.next() % UInt64(oddity) == 0
      return Double(generator.next() >> 11) * 0x1p-53 * lateness * (odd ? 10 : 1)
    }
    let sinkRate = sampleRate * (1 + sinkDrift * 1e-6)
    let sourceRate = sinkRate * (1 + drift * 1e-6)
    var outcome = Outcome(follower: ClockFollower(sampleRate: sampleRate))
    var follower = outcome.follower
    let end = hours * 3600
    // The frames that were really delivered and read; the time that the source has lost and that
    // the sink is late, in seconds.
    var (delivered, read, part) = (0, 0, 0.0)
    var (padded, lost, delay) = (0, 0.0, 0.0)
    var (lumps, pulls) = (0, 0)
    var stalls = 0
    var lastStall = -1e9
    var (noted, asked) = (0.0, 0.0)
    let half = 0.2 * Double(lump) / sampleRate
    var lags: [Moment] = []
    var target = Double.infinity
    lags.reserveCapacity(Int(end * sampleRate / Double(pull)) + 1)
    // The true times of the next delivery and request. They are noted later.
    func trueDelivery(_ lumps: Int, _ lost: Double) -> Double {
      Double((lumps + 1) * lump) / sourceRate + lost + half
    }
    func trueRequest(_ pulls: Int, _ delay: Double) -> Double {
      0.05 + Double((pulls + 1) * pull) / sinkRate + delay
    }
    func held(_ time: Double, _ kinds: [Stall]) -> Double {
      guard let stall, kinds.contains(stall), lastStall > 0, time > lastStall,
        time < lastStall + stallLength
      else { return time }
      return lastStall + stallLength
    }
    var delivery = trueDelivery(0, 0) + late()
    var request = trueRequest(0, 0) + late()
    while request < end {
      if stall != nil, min(delivery, request) > Double(stalls + 1) * stallInterval {
        stalls += 1
        lastStall = min(delivery, request)
        switch stall {
        case .source:
          lost += stallLength
          delivery = trueDelivery(lumps, lost) + late()
        case .sink:
          delay += stallLength
          request = trueRequest(pulls, delay) + late()
        case .buffer:
          delay += stallLength
          request = trueRequest(pulls, delay) + late()
          follower.noteShorterBuffer(by: Int(stallLength * sampleRate))
        default: break
        }
        delivery = held(delivery, [.delivery, .thread])
        request = held(request, [.thread])
      }
      if delivery <= request {
        noted = max(noted, delivery)
        lumps += 1
        delivered += lump
        follower.note(delivered: lump, at: noted)
        delivery = held(
          max(noted, trueDelivery(lumps, lost) + late()), [.delivery, .thread])
        continue
      }
      asked = max(asked, request)
      let time = trueRequest(pulls, delay)
      pulls += 1
      follower.note(requested: pull, at: asked)
      var isOpen = follower.ratio > 0
      if !isOpen, let correction = follower.open(ahead: delivered + padded - read, pull: pull) {
        isOpen = true
        if case .skip(let frames) = correction { read += frames }
      }
      var missing = 0
      if isOpen {
        part += Double(pull) * follower.ratio
        var taken = Int(part)
        part -= Double(taken)
        let there = delivered + padded - read
        if taken > there {
          missing = taken - there
          taken = there
        }
        read += taken
      }
      let correction = follower.follow(ahead: delivered + padded - read, missing: missing)
      outcome.missing += missing
      switch correction {
      case .none: break
      case .skip(let frames):
        let frames = min(frames, delivered + padded - read)
        read += frames
        outcome.skipped += frames
      case .pad(let frames):
        padded += frames
        outcome.padded += frames
      }
      if follower.ratio != 1, isOpen { outcome.wasRatioOne = false }
      let heard = (time - half - lost) * sourceRate + Double(padded)
      let cents = 1200 / 0.693147180559945 * (follower.ratio * sinkRate / sourceRate - 1)
      if isOpen {
        if follower.target > target + 1, time > 5 { outcome.raises += 1 }
        target = follower.target
        lags.append(
          Moment(
            time: time, lag: (heard - Double(read)) / sourceRate, target: target / sampleRate,
            cents: cents, counts: missing == 0 && time > lastStall + settling))
      }
      request = held(max(asked, trueRequest(pulls, delay) + late()), [.thread])
    }
    outcome.follower = follower
    summarize(lags, settling, &outcome)
    return outcome
  }

  /// The state at a pull.
  private struct Moment {
    var time: Double
    var lag: Double
    var target: Double
    var cents: Double
    var counts: Bool
  }

  private func summarize(_ moments: [Moment], _ settling: Double, _ outcome: inout Outcome) {
    let settled = moments.filter { $0.counts && $0.time > settling }
    guard let first = moments.first, let last = moments.last, !settled.isEmpty else { return }
    // Notes are late by a constant time on average, which shifts the lines by the same time.
    let offs = settled.map { $0.lag - $0.target }.sorted()
    let middle = offs[offs.count / 2]
    let off = offs.map { abs($0 - middle) }.sorted()
    let cents = settled.map { abs($0.cents) }.sorted()
    outcome.latency = last.lag
    outcome.earlyLatency = (moments.last { $0.time < stallInterval } ?? first).lag
    outcome.worstLatency = off[off.count - 1]
    outcome.usualLatency = off[off.count * 99 / 100]
    outcome.worstPitch = cents[cents.count - 1]
    outcome.usualPitch = cents[cents.count * 99 / 100]
    outcome.raised = last.target - first.target
    outcome.settledAfter =
      moments.last {
        $0.time < settling && abs($0.lag - $0.target - middle) > 0.001
      }?.time ?? 0
  }
}
