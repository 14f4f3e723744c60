public let support = "another one"
