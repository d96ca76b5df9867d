import CShims
import Glibc
import RenderHost
import Synchronization

/// Checks the settings of the system that prevent low latency.
struct DoctorSystem {
  /// A prefix of every path that is read; empty for the system itself. Tests set it.
  var root = ""
  /// The priority that a thread was granted, or a negative error number.
  var priority: Int32
  /// `RLIMIT_RTPRIO`: the highest priority that a thread may ask for.
  var priorityLimit: UInt64
  /// The scheduling that a run gets in the end; `nil` if it is not known.
  var granted: SchedulingGrant?

  /// Asks the system that it runs on.
  static func current() -> DoctorSystem {
    var limit = rlimit()
    unsafe getrlimit(__rlimit_resource_t(__RLIMIT_RTPRIO.rawValue), &limit)
    let holder = Granted()
    // In a thread of its own, so that the grant ends with it.
    let thread = try? HostThread("patchrun doctor") {
      holder.priority.store(shims_request_real_time(5), ordering: .releasing)
      let granted = SchedulingRequest(priority: 5).make()
      holder.granted.withLock { $0 = granted }
    }
    thread?.join()
    return DoctorSystem(
      priority: holder.priority.load(ordering: .acquiring), priorityLimit: UInt64(limit.rlim_cur),
      granted: holder.granted.withLock { $0 })
  }

  private final class Granted: Sendable {
    let priority = Atomic<Int32>(-EPERM)
    let granted = Mutex<SchedulingGrant?>(nil)
  }

  var findings: [DoctorFinding] {
    [realTime, broker, governor, quota, container, load]
  }

  private var files: DoctorFiles { DoctorFiles(root: root) }

  // MARK: Scheduling

  private var realTime: DoctorFinding {
    if priority > 0 {
      return .init(
        topic: "real-time scheduling", state: .ok,
        found: "granted: FIFO, priority \(priority)")
    }
    if let granted, case .realTime = granted.kind {
      return .init(
        topic: "real-time scheduling", state: .ok, found: "granted: \(granted)")
    }
    let instead = granted.map { "; a run gets \($0)" } ?? ""
    let limit = priorityLimit == 0 ? "RLIMIT_RTPRIO is 0" : "the system refuses it"
    return .init(
      topic: "real-time scheduling", state: .warning,
      found: "refused: \(limit) (\(systemMessage(-priority)))" + instead,
      cure: "install 'rtkit', which grants it to the users of a desktop; or allow it in "
        + "/etc/security/limits.d/audio.conf: '@audio - rtprio 20', be in the group "
        + "'audio', and log in again; for a service LimitRTPRIO=20; in a container --cap-add=SYS_NICE"
    )
  }

  /// RealtimeKit, which gives real-time scheduling to the sound server's threads and to the render
  /// thread.
  private var broker: DoctorFinding {
    let service = "/usr/share/dbus-1/system-services/org.freedesktop.RealtimeKit1.service"
    let bus = "/run/dbus/system_bus_socket"
    let (hasService, hasBus) = (files.exists(service), files.exists(bus))
    if hasService && hasBus {
      return .init(
        topic: "RealtimeKit", state: .ok, found: "installed, and the system bus is there")
    }
    // It may be where its file is not, outside of a container for example.
    if let granted, granted.isByRealtimeKit {
      return .init(
        topic: "RealtimeKit", state: .ok, found: "it answers, and has granted what a run gets")
    }
    // The user's limits or CAP_SYS_NICE allow it.
    if priority > 0 {
      return .init(
        topic: "RealtimeKit", state: .note,
        found: (hasService ? "there is no system bus for it" : "not installed")
          + ", and patchrun does not need it: it gets real-time scheduling without it; the sound "
          + "server needs it only if the system refuses the server what it grants patchrun")
    }
    return .init(
      topic: "RealtimeKit", state: .warning,
      found: hasService ? "installed, but there is no system bus" : "not installed",
      cure: hasService
        ? "start D-Bus: without it neither the sound server's threads nor patchrun's get real-time "
          + "scheduling by RealtimeKit"
        : "install 'rtkit': by it the sound server's threads, and patchrun's, get real-time scheduling"
    )
  }

  // MARK: The processor

  private var governor: DoctorFinding { DoctorGovernor(files: files).finding }

  private var quota: DoctorFinding { DoctorQuota(files: files).finding }

  private var container: DoctorFinding {
    let topic = "container"
    let isContained =
      files.exists("/.dockerenv") || files.exists("/run/.containerenv")
      || ["docker", "kubepods", "lxc"].contains { files.read("/proc/1/cgroup").contains($0) }
    return .init(
      topic: topic, state: isContained ? .note : .ok,
      found: isContained
        ? "this is one: its limits, and those of its host, hold" : "no sign of one")
  }

  private var load: DoctorFinding {
    let topic = "load"
    let words = files.read("/proc/loadavg").split(separator: " ")
    let count = max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
    guard let average = words.first.flatMap({ Double($0) }) else {
      return .init(topic: topic, state: .note, found: "the system does not say")
    }
    let isBusy = average > Double(count)
    return .init(
      topic: topic, state: isBusy ? .warning : .ok,
      found: "\(fixed(average, 1)) threads at a time want \(counted(count, "processor"))",
      cure: isBusy ? "end what else runs, or measure again when it is done" : "")
  }
}

/// The files in which the system says how it is set.
struct DoctorFiles {
  /// A prefix of every path that is read; empty for the system itself. Tests set it.
  var root = ""

  func exists(_ path: String) -> Bool { unsafe access(root + path, F_OK) == 0 }

  /// The first 4 kB of a file without trailing white space; empty if there is none.
  func read(_ path: String) -> String {
    let descriptor = unsafe open(root + path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    return String(text.reversed().drop { $0 == "\n" || $0 == " " }.reversed())
  }
}
