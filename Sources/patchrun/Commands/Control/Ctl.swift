import ArgumentParser

struct Ctl: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ctl",
    abstract: "Shows and changes a running patch.",
    discussion: """
      It speaks with 'patchrun run' over its control socket. If only one patch is running, it need \
      not be named. A change is validated first. If it is wrong, its mistakes are reported as by \
      'patchrun validate', and the patch plays on unchanged.

      EXAMPLES:
        patchrun ctl get /nodes/mixer/inputs/0
        patchrun ctl set /nodes/mixer/inputs/0/parameters/volume 0.5
        patchrun ctl status
        patchrun ctl save
        patchrun ctl stop

      EXIT STATUS:
        0  done
        1  refused: the patch would be wrong, or has no such value
        2  wrong usage, or several patches are running and none was named
        3  no patch is running, or it has no room for another client
        4  the patch ended meanwhile

      ENVIRONMENT:
        XDG_RUNTIME_DIR  contains the folders of the control sockets and of the
                         sound server
      """,
    subcommands: [
      CtlGet.self, CtlSet.self, CtlPatch.self, CtlStatus.self, CtlWatch.self, CtlTop.self,
      CtlUndo.self, CtlRedo.self, CtlHistory.self, CtlTrigger.self,
      CtlPause.self, CtlStart.self, CtlSave.self, CtlStop.self, CtlSocket.self,
    ])
}
