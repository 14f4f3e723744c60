public let json = "a module of the user"
