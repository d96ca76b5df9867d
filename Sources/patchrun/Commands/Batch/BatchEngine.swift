import ArgumentParser

/// An engine that distributes parts of a manifest, with the script or manifest that it needs.
enum BatchEngine: String, CaseIterable, ExpressibleByArgument {
  case parallel, hyperqueue, slurm, dask, snakemake, k8s

  /// The work to submit, independent of the engine.
  struct Request {
    /// The path of patchrun on the workers.
    var program: String
    var manifest: String
    var out: String
    /// The number of parts.
    var shards: Int
    /// How many parts run at the same time on one machine.
    var workers: Int
    /// More options for `batch run`.
    var options: [String]
    /// For Kubernetes: the image of the container, and the claim of a volume that all pods mount.
    var image: String
    var claim: String

    /// The command that runs one part. `part` is the engine's placeholder for its number.
    func command(_ part: String) -> String {
      ([program, "batch", "run", manifest, "--out", out].map(shellWord)
        + ["--shard", part, "--jobs", "1", "--quiet", "--allow-failures"] + options.map(shellWord))
        .joined(
          separator: " ")
    }
  }

  /// The file to write and the command to run, which submit the work.
  struct Submission {
    /// The file to write; `nil` if the command needs none.
    var name: String?
    var text: String
    /// The command that submits the work. It waits for the end if the engine supports that.
    var command: [String]
  }

  func submission(_ request: Request) -> Submission {
    switch self {
    case .parallel: parallel(request)
    case .hyperqueue: hyperqueue(request)
    case .slurm: slurm(request)
    case .dask: dask(request)
    case .snakemake: snakemake(request)
    case .k8s: kubernetes(request)
    }
  }

  /// GNU parallel starts the part of a killed worker again. Jobs that have records are not rendered
  /// again.
  private func parallel(_ request: Request) -> Submission {
    let text = """
      #!/bin/sh
      # Each part is a job; one that fails or is killed is started again, three times at the most.
      seq \(request.shards) | parallel --jobs \(request.workers) --retries 3 \\
        \(shellWord(request.command("{}/\(request.shards)")))

      """
    return Submission(name: "batch-parallel.sh", text: text, command: ["sh", "batch-parallel.sh"])
  }

  private func hyperqueue(_ request: Request) -> Submission {
    // HyperQueue starts a task again only if its worker is lost. The loop tries a failed program
    // again.
    let line =
      "for attempt in 1 2 3; do \(request.command("$0/\(request.shards)")) && exit 0; done; exit 1"
    let text = """
      import sys

      from hyperqueue import Client, Job, LocalCluster
      from hyperqueue.cluster import WorkerConfig
      from hyperqueue.ffi.protocol import ResourceRequest

      COMMAND = \(pythonText(line))


      def work(client):
          job = Job()
          for part in range(1, \(request.shards) + 1):
              job.program(["sh", "-c", COMMAND, str(part)], stdout=None,
                          resources=ResourceRequest(cpus=1))
          client.wait_for_jobs([client.submit(job)])


      # The folder of a server as an argument takes a cluster that there is: 'hq server info'.
      if len(sys.argv) > 1:
          work(Client(sys.argv[1]))
      else:
          with LocalCluster() as cluster:
              cluster.start_worker(WorkerConfig(cores=\(request.workers)))
              work(cluster.client())

      """
    return Submission(
      name: "batch-hyperqueue.py", text: text, command: ["python3", "batch-hyperqueue.py"])
  }

  private func slurm(_ request: Request) -> Submission {
    let text = """
      #!/bin/sh
      #SBATCH --job-name=patchrun-batch
      #SBATCH --array=1-\(request.shards)%\(request.workers)
      #SBATCH --cpus-per-task=1
      #SBATCH --requeue
      #SBATCH --output=batch-slurm-%A-%a.log
      # What is killed is started again: what it has done is not done twice.
      for attempt in 1 2 3; do \(request.command("auto")) && exit 0; done
      exit 1

      """
    return Submission(
      name: "batch-slurm.sh", text: text, command: ["sbatch", "--wait", "batch-slurm.sh"])
  }

  private func dask(_ request: Request) -> Submission {
    let arguments =
      [
        request.program, "batch", "run", request.manifest, "--out", request.out, "--jobs", "1",
        "--quiet", "--allow-failures",
      ] + request.options
    let text = """
      import subprocess
      import sys

      from dask.distributed import Client, LocalCluster

      COMMAND = [\(arguments.map(pythonText).joined(separator: ", "))]
      SHARDS = \(request.shards)


      def work(part):
          subprocess.run(COMMAND + ["--shard", f"{part}/{SHARDS}"], check=True)


      if __name__ == "__main__":
          # The address of a scheduler as an argument takes a cluster that there is.
          cluster = sys.argv[1] if len(sys.argv) > 1 else LocalCluster(
              n_workers=\(request.workers), threads_per_worker=1)
          with Client(cluster) as client:
              parts = client.map(work, range(1, SHARDS + 1), retries=3, pure=False)
              client.gather(parts)

      """
    return Submission(name: "batch-dask.py", text: text, command: ["python3", "batch-dask.py"])
  }

  private func snakemake(_ request: Request) -> Submission {
    let mark = "\(request.out)/records/parts-of-\(request.shards)"
    let text = """
      rule all:
          input: expand(\(pythonText(mark + "/{part}.done")), part=range(1, \(request.shards) + 1))

      rule part:
          input: \(pythonText(request.manifest))
          output: touch(\(pythonText(mark + "/{part}.done")))
          retries: 3
          shell: \(pythonText(request.command("{wildcards.part}/\(request.shards)")))

      """
    return Submission(
      name: "batch.smk", text: text,
      command: [
        "snakemake", "--snakefile", "batch.smk", "--cores", "\(request.workers)",
        "--rerun-incomplete",
        "--keep-going", "--quiet", "all",
      ])
  }

  /// An Indexed Job: `JOB_COMPLETION_INDEX` is the number of a pod's part. Manifest, patches,
  /// inputs and outputs are in a volume that all pods mount.
  private func kubernetes(_ request: Request) -> Submission {
    let arguments =
      [
        request.program, "batch", "run", request.manifest, "--out", request.out, "--shard",
        "auto/\(request.shards)", "--jobs", "1", "--quiet", "--allow-failures",
      ] + request.options
    let text = """
      apiVersion: batch/v1
      kind: Job
      metadata:
        name: patchrun-batch
      spec:
        completionMode: Indexed
        completions: \(request.shards)
        parallelism: \(request.workers)
        backoffLimit: \(3 * request.shards)
        template:
          spec:
            restartPolicy: OnFailure
            containers:
              - name: patchrun
                image: \(yamlText(request.image))
                workingDir: /data
                command: [\(arguments.map(yamlText).joined(separator: ", "))]
                resources:
                  requests: { cpu: "1" }
                volumeMounts:
                  - { name: data, mountPath: /data }
            volumes:
              - name: data
                persistentVolumeClaim: { claimName: \(yamlText(request.claim)) }

      """
    return Submission(
      name: "batch-k8s.yaml", text: text, command: ["kubectl", "apply", "-f", "batch-k8s.yaml"])
  }

  // MARK: Texts of others

  private func pythonText(_ text: String) -> String {
    "\"" + text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] } + "\""
  }

  private func yamlText(_ text: String) -> String { pythonText(text) }
}

/// Quotes a text as one word for a shell.
func shellWord(_ text: String) -> String {
  let isPlain =
    !text.isEmpty
    && text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "-_./=:,+%@{}".utf8.contains(byte)
    }
  if isPlain { return text }
  return "'"
    + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    + "'"
}
