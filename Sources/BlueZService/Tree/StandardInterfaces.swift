import SystemBus

/// The standard interfaces (D-Bus Specification, "Standard Interfaces"). The D-Bus library provides `Peer`.
extension Interface {
    static let introspectable: Interface = Interface(
        name: "org.freedesktop.DBus.Introspectable",
        methods: [
            Method("Introspect", out: [.init("xml", "s")]) { (object: ExportedObject, call) throws(BusError) in
                .values([
                    .string(
                        Introspection.document(
                            object.allInterfaces,
                            children: object.tree?.children(of: object.path) ?? []))
                ])
            }
        ])

    static let properties: Interface = Interface(
        name: "org.freedesktop.DBus.Properties",
        methods: [
            Method("Get", in: [.init("interface", "s"), .init("name", "s")], out: [.init("value", "v")]) {
                (object: ExportedObject, call) throws(BusError) in
                let name = call.text(1)
                guard let value = try object.interface(of: call).property(name)?.read(object) else {
                    throw .invalidArguments("No such property '\(name)'", isStandard: true)
                }
                return .values([.variant(value)])
            },
            Method("Set", in: [.init("interface", "s"), .init("name", "s"), .init("value", "v")]) {
                (object: ExportedObject, call) throws(BusError) in
                let name = call.text(1)
                guard let property = try object.interface(of: call).property(name) else {
                    throw BusError("org.freedesktop.DBus.Error.UnknownProperty", "No such property '\(name)'")
                }
                guard let write = property.write else {
                    throw BusError(
                        "org.freedesktop.DBus.Error.PropertyReadOnly", "Property '\(name)' is not writable")
                }
                guard case .variant(let value) = call.arguments[2], value.type == property.type else {
                    throw BusError("org.freedesktop.DBus.Error.InvalidSignature", "Invalid signature for '\(name)'")
                }
                return try write(object, value, call)
            },
            Method("GetAll", in: [.init("interface", "s")], out: [.init("properties", "a{sv}")]) {
                (object: ExportedObject, call) throws(BusError) in
                .values([try object.interface(of: call).values(of: object)])
            },
        ],
        signals: [
            Signal(
                name: "PropertiesChanged",
                arguments: [
                    .init("interface", "s"), .init("changed_properties", "a{sv}"),
                    .init("invalidated_properties", "as"),
                ])
        ])

    static let objectManager: Interface = Interface(
        name: "org.freedesktop.DBus.ObjectManager",
        methods: [
            Method("GetManagedObjects", out: [.init("objects", "a{oa{sa{sv}}}")]) {
                (object: ExportedObject, call) throws(BusError) in
                .values([object.tree?.managedObjects ?? .dictionary([:], key: "o", value: "a{sa{sv}}")])
            }
        ],
        signals: [
            Signal(name: "InterfacesAdded", arguments: [.init("object", "o"), .init("interfaces", "a{sa{sv}}")]),
            Signal(name: "InterfacesRemoved", arguments: [.init("object", "o"), .init("interfaces", "as")]),
        ])
}

extension ExportedObject {
    /// Returns the interface that the first argument of a call names.
    fileprivate func interface(of call: BusCall) throws(BusError) -> Interface {
        guard let interface = interface(named: call.text(0)) else {
            throw .invalidArguments("No such interface '\(call.text(0))'", isStandard: true)
        }
        return interface
    }
}

extension BusCall {
    /// Returns the text of an argument, which the signature of the method guarantees.
    func text(_ index: Int) -> String { arguments.indices.contains(index) ? arguments[index].text ?? "" : "" }

    /// Returns the entries of an argument of type `a{sv}`; empty for an absent argument.
    func options(_ index: Int) -> [String: BusValue] {
        arguments.indices.contains(index) ? arguments[index].properties ?? [:] : [:]
    }
}

/// The root of the tree.
final class RootObject: ExportedObject {
    init() { super.init(path: "/") }

    override var interfaces: [Interface] { [.objectManager] }
}
