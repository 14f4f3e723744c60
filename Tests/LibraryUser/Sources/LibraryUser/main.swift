import Harald

print("Harald is here")
