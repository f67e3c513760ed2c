print("restoration")
