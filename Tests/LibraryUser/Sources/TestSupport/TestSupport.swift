/// A value of a module that has the name of one of the repository.
public let support = "another one"
