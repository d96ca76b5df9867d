import patchrun

Program.start()
