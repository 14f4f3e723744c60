/// A method call of another program to an exported object.
struct BusCall {
    var path: String
    var interface: String
    var member: String
    /// The unique name of the caller.
    var sender: String
    var arguments: [BusValue]
    /// Answers the call; only the first answer has an effect.
    var respond: (Result<[BusValue], BusError>) -> Void
}

/// A signal of an object on the bus.
struct BusSignal {
    var path: String
    var interface: String
    var member: String
    /// The unique name of the program that owns the object.
    var sender: String
    var arguments: [BusValue]
}
