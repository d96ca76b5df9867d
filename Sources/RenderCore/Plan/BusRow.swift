/// A row of a plan, as the memory of its buses and the threads for its rows are chosen.
protocol BusRow {
  /// The buses that it reads, by their index in the plan.
  var inputs: BusList { get }
  /// The buses that it fills.
  var outputs: BusList { get }
  /// Whether its kernel may lend memory of its own to the buses that it fills.
  var lendsMemory: Bool { get }
  /// Whether its kernel reads interleaved frames, too.
  var readsInterleaved: Bool { get }
  /// Whether its kernel has other threads help it with a large mix of its inputs.
  var sharesMix: Bool { get }
  /// The time that its kernel takes: see `RenderKernel.weight`.
  var weight: Int { get }
  /// Whether its kernel calls a client's code.
  var callsClient: Bool { get }
}
