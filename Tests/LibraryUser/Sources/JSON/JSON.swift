/// A value of a module that has the name of one of the repository.
public let json = "a module of the user"
