import ArgumentParser

struct Ctl: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ctl",
    abstract: "Looks at a running patch, and changes it.",
    discussion: """
      Speaks with 'patchrun run' over its control socket. Where one patch is running it needs no \
      name. What is changed goes the way of every change: it is validated first, and what is wrong \
      is said as 'patchrun validate' says it, while the patch plays on as it was.

      EXAMPLES:
        patchrun ctl get /nodes/mixer/inputs/0
        patchrun ctl set /nodes/mixer/inputs/0/parameters/volume 0.5
        patchrun ctl status
        patchrun ctl save
        patchrun ctl stop

      EXIT STATUS:
        0  done
        1  refused: the patch would be wrong, or has nothing there
        2  wrong usage, or several patches are running and none was named
        3  no patch is running, or it has no room for another client
        4  the patch went away meanwhile

      ENVIRONMENT:
        XDG_RUNTIME_DIR  the folder of the control sockets is in it, as is the
                         server's own
      """,
    subcommands: [
      CtlGet.self, CtlSet.self, CtlPatch.self, CtlStatus.self, CtlWatch.self, CtlTop.self,
      CtlUndo.self, CtlRedo.self, CtlHistory.self, CtlTrigger.self,
      CtlPause.self, CtlStart.self, CtlSave.self, CtlStop.self, CtlSocket.self,
    ])
}
