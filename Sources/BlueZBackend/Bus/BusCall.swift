/// A call that somebody on the bus makes to an object of ours.
struct BusCall {
    var path: String
    var interface: String
    var member: String
    /// The unique name of the caller.
    var sender: String
    var arguments: [BusValue]
    /// Answers; only the first answer counts.
    var respond: (Result<[BusValue], BusError>) -> Void
}

/// Something that happened to an object on the bus.
struct BusSignal {
    var path: String
    var interface: String
    var member: String
    /// The unique name of the program whose object it is.
    var sender: String
    var arguments: [BusValue]
}
