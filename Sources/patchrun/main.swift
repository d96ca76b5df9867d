print("patchrun")
