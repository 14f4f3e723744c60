import SystemBus

/// Calls to the objects of the service.
extension ObjectTree {
    /// Answers a call, now or later. The signals of changes that precede the answer are emitted before it.
    func handle(_ received: BusCall) {
        var call = received
        call.respond = { [weak self] result in
            self?.flush()
            received.respond(result)
        }
        do throws(BusError) {
            if case .values(let values) = try run(call) { call.respond(.success(values)) }
        } catch {
            call.respond(.failure(error))
        }
    }

    private func run(_ call: BusCall) throws(BusError) -> Interface.Reply {
        guard let object = objects[call.path] else { return try runOnNode(call) }
        // The object's own interface first: most calls are to that.
        let own = object.interfaces.first { $0.name == call.interface }
        guard let interface = own ?? object.interface(named: call.interface),
            let method = interface.methods.first(where: { $0.name == call.member && $0.accepts(call.arguments) })
        else { throw .unknownMethod(call) }
        return try method.run(object, call)
    }

    /// Answers a call to a path without an object, which can be introspected.
    private func runOnNode(_ call: BusCall) throws(BusError) -> Interface.Reply {
        let children = children(of: call.path)
        guard call.interface == Interface.introspectable.name, call.member == "Introspect", call.arguments.isEmpty
        else { throw children.isEmpty ? .unknownObject(call) : .unknownMethod(call) }
        return .values([.string(Introspection.document([], children: children))])
    }
}
