/// What a service on the bus says of its objects, kept as it says it: paths, interfaces, properties
/// (D-Bus Specification, `org.freedesktop.DBus.ObjectManager`).
struct ManagedObjects {
    typealias Interfaces = [String: [String: BusValue]]

    private(set) var objects: [String: Interfaces] = [:]

    /// Nothing.
    init() {}

    /// The answer of `GetManagedObjects`, `a{oa{sa{sv}}}`; what is not of that form is left out.
    init(_ answer: [BusValue]) {
        guard case .dictionary(let entries, _, _)? = answer.first else { return }
        for (path, interfaces) in entries {
            if let path = path.text { objects[path] = Self.interfaces(interfaces) }
        }
    }

    /// `a{sa{sv}}`.
    static func interfaces(_ value: BusValue) -> Interfaces {
        guard case .dictionary(let entries, _, _) = value else { return [:] }
        var result: Interfaces = [:]
        for (name, properties) in entries {
            if let name = name.text { result[name] = properties.properties ?? [:] }
        }
        return result
    }

    /// The properties of one interface of an object; nil where the object or the interface is not there.
    subscript(path: String, interface: String) -> [String: BusValue]? { objects[path]?[interface] }

    /// The paths of the objects with `interface` at or under `parent`, in their order.
    func paths(of interface: String, under parent: String = "") -> [String] {
        let prefix = parent + "/"
        return objects.compactMap { path, interfaces in
            guard interfaces[interface] != nil, parent.isEmpty || path == parent || path.hasPrefix(prefix) else {
                return nil
            }
            return path
        }.sorted()
    }

    /// Interfaces came, on an object that may be new.
    mutating func add(_ interfaces: Interfaces, at path: String) {
        objects[path, default: [:]].merge(interfaces) { $1 }
    }

    /// Interfaces went; with the last one the object.
    mutating func remove(_ interfaces: [String], at path: String) {
        for interface in interfaces { objects[path]?[interface] = nil }
        if objects[path]?.isEmpty == true { objects[path] = nil }
    }

    /// Properties got other values, or have none any more.
    mutating func change(
        _ changed: [String: BusValue], without invalidated: [String], of interface: String, at path: String
    ) {
        guard objects[path]?[interface] != nil else { return }
        objects[path]?[interface]?.merge(changed) { $1 }
        for name in invalidated { objects[path]?[interface]?[name] = nil }
    }
}
