import AudioTypes
import RenderCore

/// The rows and buses of one rate domain, under construction.
///
/// Each bus holds samples of its format's type. Units compute with floats, so a row between a unit
/// and a bus of another sample type rounds or converts.
struct PlanBuilder {
  private(set) var rows: [RenderPlan.Row] = []
  private var busChannelCounts = [1]
  private var silentBuses: [Int: Int] = [:]

  /// Reserves room for the rows of nodes, most of which have one, and for their buses.
  mutating func reserveCapacity(nodes count: Int) {
    // And for some sources and conversions: where one row is too many, all rows are moved.
    rows.reserveCapacity(count + count / 8 + 8)
    busChannelCounts.reserveCapacity(count + count / 8 + 8)
  }

  mutating func add(_ row: consuming RenderPlan.Row) { rows.append(row) }

  /// Makes the row that writes to `bus` write to `target` instead.
  mutating func redirect(from bus: Int, to target: Int) {
    guard let row = rows.lastIndex(where: { $0.outputs.contains(bus) }) else { return }
    rows[row].outputs = BusList(rows[row].outputs.map { $0 == bus ? target : $0 })
  }

  mutating func newBus(_ channelCount: Int) -> Int {
    busChannelCounts.append(channelCount)
    return busChannelCounts.count - 1
  }

  /// The bus that the output unit reads.
  mutating func clientBus(_ channelCount: Int) -> Int {
    busChannelCounts[RenderPlan.clientBus] = channelCount
    return RenderPlan.clientBus
  }

  mutating func silentBus(_ channelCount: Int) -> Int {
    if let bus = silentBuses[channelCount] { return bus }
    let bus = newBus(channelCount)
    silentBuses[channelCount] = bus
    return bus
  }

  /// Adds a row that converts floats to the words of a format, in a new bus or in that of the
  /// client, and returns that bus.
  mutating func words(
    of bus: Int, format: StreamFormat, dither: BusDither, isClient: Bool
  ) -> Int {
    let sample = format.sampleType ?? .float32
    let target = isClient ? clientBus(format.channelCount) : newBus(format.channelCount)
    add(
      .init(
        kernel: dither.dither != .none
          ? .holding(DitherKernel(dither, to: format))
          : .holding(SampleCodingKernel(from: .float32, to: sample)),
        inputs: [bus], outputs: [target]))
    return target
  }

  /// Adds a row that converts the words of a bus to floats, and returns its bus; `bus` itself if it
  /// carries floats.
  mutating func floats(of bus: Int, format: StreamFormat) -> Int {
    guard let sample = format.sampleType, !sample.fitsFloat else { return bus }
    let target = newBus(format.channelCount)
    add(
      .init(
        kernel: .holding(SampleCodingKernel(from: sample, to: .float32)), inputs: [bus],
        outputs: [target]))
    return target
  }

  /// - Parameters:
  ///   - bus: The bus that is read after the plan has run.
  ///   - interleaved: Whether its frames may be interleaved.
  ///   - measuring: Wraps a kernel in a meter; `nil` for no measurement.
  func plan(
    to bus: Int, interleaved: Bool = false, maximumFramesPerSlice: Int,
    observers: [RenderObserver] = [],
    threadCount: Int = 1, inRealTime: Bool = false, measuring: ((KernelBox) -> KernelBox)? = nil
  ) -> RenderPlan {
    var rows = rows
    if let measuring {
      for index in rows.indices { rows[index].kernel = measuring(rows[index].kernel) }
    }
    return RenderPlan(
      rows: rows, busChannelCounts: busChannelCounts,
      maximumFramesPerSlice: maximumFramesPerSlice, observers: observers,
      keeping: [RenderPlan.clientBus, bus], interleaved: interleaved ? [bus] : [],
      threadCount: threadCount, inRealTime: inRealTime)
  }
}

/// The plans of all rate domains, under construction.
struct PlanBuilders {
  /// The domain of nearly all nodes.
  private var main = PlanBuilder()
  private var others: [RateDomains.Domain: PlanBuilder] = [:]

  subscript(_ domain: RateDomains.Domain) -> PlanBuilder {
    get { domain == .main ? main : others[domain] ?? PlanBuilder() }
    _modify {
      if domain == .main {
        yield &main
      } else {
        yield &others[domain, default: PlanBuilder()]
      }
    }
    set {
      if domain == .main { main = newValue } else { others[domain] = newValue }
    }
  }

  mutating func reserveCapacity(nodes count: Int) { main.reserveCapacity(nodes: count) }

  // A subscript that modifies in place takes memory from the heap for each call: what is called for
  // every node goes without.

  mutating func add(_ row: consuming RenderPlan.Row, in domain: RateDomains.Domain) {
    if domain == .main { main.add(row) } else { self[domain].add(row) }
  }

  mutating func newBus(_ channelCount: Int, in domain: RateDomains.Domain) -> Int {
    domain == .main ? main.newBus(channelCount) : self[domain].newBus(channelCount)
  }

  mutating func floats(
    of bus: Int, format: StreamFormat, in domain: RateDomains.Domain
  ) -> Int {
    domain == .main
      ? main.floats(of: bus, format: format) : self[domain].floats(of: bus, format: format)
  }

  /// Removes and returns a builder, so that its rows are not copied. The caller must put it back.
  mutating func take(_ domain: RateDomains.Domain) -> PlanBuilder {
    var taken = PlanBuilder()
    swap(&taken, &self[domain])
    return taken
  }
}
