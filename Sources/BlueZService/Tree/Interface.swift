import SystemBus

/// A D-Bus interface of the service: the table from which introspection, access to properties and dispatch follow.
struct Interface: Sendable {
    /// A named argument of a method or signal, and its D-Bus type.
    struct Argument: Sendable {
        let name: String
        let type: String

        init(_ name: String, _ type: String) {
            self.name = name
            self.type = type
        }
    }

    /// The answer of a method that did not fail.
    enum Reply {
        /// The method returns these values.
        case values([BusValue])
        /// The method answers the call later.
        case later

        static let done = Reply.values([])
    }

    /// A property: absent while `read` returns nil, read-only without `write`.
    struct Property: Sendable {
        let name: String
        let type: String
        let read: @Sendable (ExportedObject) -> BusValue?
        let write: (@Sendable (ExportedObject, BusValue, BusCall) throws(BusError) -> Reply)?

        init<Object: ExportedObject>(
            _ name: String, _ type: String, _ read: @escaping @Sendable (Object) -> BusValue?,
            write: (@Sendable (Object, BusValue, BusCall) throws(BusError) -> Reply)? = nil
        ) {
            self.name = name
            self.type = type
            self.read = { object in (object as? Object).flatMap(read) }
            guard let write else {
                self.write = nil
                return
            }
            self.write = { (object, value, call) throws(BusError) in
                guard let object = object as? Object else { throw .unknownObject(call) }
                return try write(object, value, call)
            }
        }
    }

    struct Method: Sendable {
        let name: String
        let inputs: [Argument]
        let outputs: [Argument]
        let run: @Sendable (ExportedObject, BusCall) throws(BusError) -> Reply

        init<Object: ExportedObject>(
            _ name: String, in inputs: [Argument] = [], out outputs: [Argument] = [],
            _ run: @escaping @Sendable (Object, BusCall) throws(BusError) -> Reply
        ) {
            self.name = name
            self.inputs = inputs
            self.outputs = outputs
            self.run = { (object, call) throws(BusError) in
                guard let object = object as? Object else { throw .unknownObject(call) }
                return try run(object, call)
            }
        }

        /// Returns true if the arguments have the types of the inputs.
        func accepts(_ arguments: [BusValue]) -> Bool {
            arguments.count == inputs.count && zip(inputs, arguments).allSatisfy { $0.type == $1.type }
        }
    }

    struct Signal: Sendable {
        let name: String
        let arguments: [Argument]
    }

    let name: String
    var properties: [Property] = []
    var methods: [Method] = []
    var signals: [Signal] = []

    func property(_ name: String) -> Property? { properties.first { $0.name == name } }

    /// Returns the present properties of an object.
    func values(of object: ExportedObject) -> BusValue {
        var values: [String: BusValue] = [:]
        for property in properties { values[property.name] = property.read(object) }
        return .properties(values)
    }
}
