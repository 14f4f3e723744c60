/// A method call of another program to an exported object.
package struct BusCall {
    /// The path of the object.
    package var path: String
    /// The interface; empty if the caller did not name one.
    package var interface: String
    /// The name of the method.
    package var member: String
    /// The unique name of the caller.
    package var sender: String
    /// The arguments.
    package var arguments: [BusValue]
    /// Answers the call; only the first answer has an effect.
    package var respond: (Result<[BusValue], BusError>) -> Void

    /// Creates a call.
    package init(
        path: String, interface: String, member: String, sender: String, arguments: [BusValue],
        respond: @escaping (Result<[BusValue], BusError>) -> Void
    ) {
        self.path = path
        self.interface = interface
        self.member = member
        self.sender = sender
        self.arguments = arguments
        self.respond = respond
    }
}

/// A signal of an object on the bus.
package struct BusSignal {
    /// The path of the object.
    package var path: String
    /// The interface.
    package var interface: String
    /// The name of the signal.
    package var member: String
    /// The unique name of the program that owns the object.
    package var sender: String
    /// The arguments.
    package var arguments: [BusValue]

    /// Creates a signal.
    package init(path: String, interface: String, member: String, sender: String = "", arguments: [BusValue]) {
        self.path = path
        self.interface = interface
        self.member = member
        self.sender = sender
        self.arguments = arguments
    }
}
