/// The processor quota of the control groups that the process is in, of version 1 and of version 2.
///
/// Sources: the kernel's `Documentation/admin-guide/cgroup-v2.rst` (`cpu.max`) and
/// `Documentation/scheduler/sched-bwc.rst` (`cpu.cfs_quota_us`, `cpu.cfs_period_us`).
struct DoctorQuota {
  private static let mount = "/sys/fs/cgroup"

  let files: DoctorFiles

  /// What one control group says of its quota.
  private enum Answer {
    case unlimited
    /// The processors that the group may use at a time, and the period in microseconds.
    case limit(processors: Double, period: Double)
  }

  var finding: DoctorFinding {
    let topic = "processor quota"
    let answers = older + newer
    // The quota of a group holds for the groups within it, so that the least one counts.
    var least: (processors: Double, period: Double)?
    for case .limit(let processors, let period) in answers
    where processors < least?.processors ?? .infinity {
      least = (processors, period)
    }
    if let least {
      return .init(
        topic: topic, state: .warning,
        found:
          "\(fixed(least.processors, 2)) processors, in periods of "
          + "\(fixed(least.period / 1000, 0)) ms: "
          + "whoever has used them up stands still until the next one",
        cure: "lift the quota: CPUQuota= of a service, --cpus of a container")
    }
    if answers.isEmpty {
      return .init(
        topic: topic, state: .note,
        found: "unknown: no control group with a quota can be read in \(Self.mount)")
    }
    return .init(topic: topic, state: .ok, found: "none")
  }

  /// The lines of `/proc/self/cgroup`, each `number:controllers:path`; the controllers of version 2
  /// are empty.
  private var memberships: [(controllers: Substring, path: Substring)] {
    files.read("/proc/self/cgroup").split(separator: "\n").compactMap { line in
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      return fields.count == 3 ? (fields[1], fields[2]) : nil
    }
  }

  /// A group and the groups around it as folders, the innermost first and the root of the mount
  /// last.
  ///
  /// In a container the path may be that of the host, which is not below the mount, or begin with
  /// `..`: the root of the mount is then the container's own group.
  private static func folders(_ path: Substring, below mount: String) -> [String] {
    var parts = path.split(separator: "/").filter { $0 != ".." }
    var folders: [String] = []
    while !parts.isEmpty {
      folders.append(mount + "/" + parts.joined(separator: "/"))
      parts.removeLast()
    }
    return folders + [mount]
  }

  // MARK: Version 1

  private var older: [Answer] {
    for (controllers, path) in memberships where controllers.split(separator: ",").contains("cpu") {
      for name in [String(controllers), "cpu", "cpu,cpuacct", "cpuacct,cpu"] {
        let answers = Self.folders(path, below: "\(Self.mount)/\(name)")
          .compactMap { olderAnswer($0) }
        if !answers.isEmpty { return answers }
      }
    }
    return []
  }

  private func olderAnswer(_ folder: String) -> Answer? {
    guard let quota = Double(files.read("\(folder)/cpu.cfs_quota_us")) else { return nil }
    // -1 stands for no quota.
    guard quota > 0 else { return .unlimited }
    guard let period = Double(files.read("\(folder)/cpu.cfs_period_us")), period > 0 else {
      return nil
    }
    return .limit(processors: quota / period, period: period)
  }

  // MARK: Version 2

  private var newer: [Answer] {
    guard let path = memberships.first(where: { $0.controllers.isEmpty })?.path else { return [] }
    // Beside groups of version 1, version 2 is mounted in a folder of its own.
    for mount in [Self.mount, "\(Self.mount)/unified"] {
      let answers = Self.folders(path, below: mount).compactMap { newerAnswer($0) }
      if !answers.isEmpty { return answers }
      // A group without the file has no quota, if the hierarchy has the controller: the root never
      // has the file.
      let controllers = files.read("\(mount)/cgroup.controllers").split(separator: " ")
      if controllers.contains("cpu") { return [.unlimited] }
    }
    return []
  }

  private func newerAnswer(_ folder: String) -> Answer? {
    let words = files.read("\(folder)/cpu.max").split(separator: " ")
    guard words.count == 2, let period = Double(words[1]), period > 0 else { return nil }
    if words[0] == "max" { return .unlimited }
    guard let most = Double(words[0]) else { return nil }
    return .limit(processors: most / period, period: period)
  }
}
