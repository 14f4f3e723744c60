import SystemBus

/// A mirror of the objects of a service on the bus: paths, interfaces, properties (D-Bus Specification,
/// `org.freedesktop.DBus.ObjectManager`).
struct ManagedObjects {
    typealias Interfaces = [String: [String: BusValue]]

    private(set) var objects: [String: Interfaces] = [:]

    /// Creates an empty mirror.
    init() {}

    /// Creates a mirror from the answer of `GetManagedObjects`, `a{oa{sa{sv}}}`; entries of another form are left out.
    init(_ answer: [BusValue]) {
        guard case .dictionary(let entries, _, _)? = answer.first else { return }
        for (path, interfaces) in entries {
            if let path = path.text { objects[path] = Self.interfaces(interfaces) }
        }
    }

    /// Converts an `a{sa{sv}}`.
    static func interfaces(_ value: BusValue) -> Interfaces {
        guard case .dictionary(let entries, _, _) = value else { return [:] }
        var result: Interfaces = [:]
        for (name, properties) in entries {
            if let name = name.text { result[name] = properties.properties ?? [:] }
        }
        return result
    }

    /// The properties of one interface of an object; nil if the object or the interface does not exist.
    subscript(path: String, interface: String) -> [String: BusValue]? { objects[path]?[interface] }

    /// Returns the paths of the objects with `interface` at or under `parent`, in order.
    func paths(of interface: String, under parent: String = "") -> [String] {
        let prefix = parent + "/"
        return objects.compactMap { path, interfaces in
            guard interfaces[interface] != nil, parent.isEmpty || path == parent || path.hasPrefix(prefix) else {
                return nil
            }
            return path
        }.sorted()
    }

    /// Adds interfaces to an object, which may be new.
    mutating func add(_ interfaces: Interfaces, at path: String) {
        objects[path, default: [:]].merge(interfaces) { $1 }
    }

    /// Removes interfaces, and the object with its last one.
    mutating func remove(_ interfaces: [String], at path: String) {
        for interface in interfaces { objects[path]?[interface] = nil }
        if objects[path]?.isEmpty == true { objects[path] = nil }
    }

    /// Changes properties, and removes the invalidated ones.
    mutating func change(
        _ changed: [String: BusValue], without invalidated: [String], of interface: String, at path: String
    ) {
        guard objects[path]?[interface] != nil else { return }
        objects[path]?[interface]?.merge(changed) { $1 }
        for name in invalidated { objects[path]?[interface]?[name] = nil }
    }
}
