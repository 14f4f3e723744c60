import SystemBus

/// The objects of the service by path, and the signals about their changes.
///
/// A state machine without input or output: it collects changes, and ``flush()`` emits them as signals, in their order
/// and with the changes of an interface joined in one, as `bluetoothd` does once per turn of its loop and before each
/// reply.
final class ObjectTree {
    private enum Change {
        case added(ExportedObject, [Interface])
        case removed(path: String, [String])
        case properties(ExportedObject, Interface, [String])
    }

    private(set) var objects: [String: ExportedObject] = [:]
    /// The changes that are not emitted yet; nil for those of an object that was removed before it was announced.
    private var pending: [Change?] = []
    /// The positions of the changes of each object, so that thousands of changes in a turn take no longer each.
    private var positions: [ObjectIdentifier: [Int]] = [:]
    private let emit: (BusSignal) -> Void
    private let onPending: () -> Void

    /// - Parameters:
    ///   - emit: sends a signal.
    ///   - onPending: called with the first change after a flush; the owner calls ``flush()`` at the end of the turn.
    init(emit: @escaping (BusSignal) -> Void, onPending: @escaping () -> Void) {
        self.emit = emit
        self.onPending = onPending
    }

    /// Exports an object.
    func add(_ object: ExportedObject) {
        objects[object.path] = object
        object.tree = self
        append(.added(object, object.allInterfaces), of: object)
    }

    /// Announces further interfaces of an exported object.
    func added(_ interfaces: [Interface], of object: ExportedObject) {
        guard objects[object.path] === object, !isNew(object) else { return }
        append(.added(object, interfaces), of: object)
    }

    /// Announces the end of interfaces of an exported object.
    func removed(_ interfaces: [Interface], of object: ExportedObject) {
        guard objects[object.path] === object, !isNew(object) else { return }
        append(.removed(path: object.path, interfaces.map(\.name)))
    }

    /// Removes an object.
    func remove(_ object: ExportedObject) {
        guard objects[object.path] === object else { return }
        let wasNew = isNew(object)
        objects[object.path] = nil
        object.tree = nil
        for position in positions.removeValue(forKey: ObjectIdentifier(object)) ?? [] { pending[position] = nil }
        if !wasNew { append(.removed(path: object.path, object.allInterfaces.map(\.name))) }
    }

    func changed(_ object: ExportedObject, _ interface: Interface, _ properties: [String]) {
        assert(properties.allSatisfy { interface.property($0) != nil }, "\(interface.name) has no \(properties)")
        // The properties of a new object are read when it is announced.
        if properties.isEmpty || isNew(object) { return }
        let same = position(of: object) { change in
            if case .properties(_, let its, _) = change { its.name == interface.name } else { false }
        }
        guard let same, case .properties(_, _, let before) = pending[same] else {
            return append(.properties(object, interface, properties), of: object)
        }
        pending[same] = .properties(object, interface, before + properties.filter { !before.contains($0) })
    }

    /// Announces a change at once, after those that precede it.
    func announce(_ object: ExportedObject, _ interface: Interface, _ properties: [String]) {
        guard objects[object.path] === object else { return }
        flush()
        emit(Self.signal(of: .properties(object, interface, properties)))
    }

    /// Emits a signal of an object, before the changes that are not emitted yet.
    func emit(_ object: ExportedObject, _ interface: Interface, _ member: String, _ arguments: [BusValue]) {
        emit(BusSignal(path: object.path, interface: interface.name, member: member, arguments: arguments))
    }

    private func isNew(_ object: ExportedObject) -> Bool {
        position(of: object) { change in
            if case .added = change { true } else { false }
        } != nil
    }

    /// Returns the position of a change of the object that is not emitted yet.
    private func position(of object: ExportedObject, where isMeant: (Change?) -> Bool) -> Int? {
        positions[ObjectIdentifier(object)]?.first { isMeant(pending[$0]) }
    }

    private func append(_ change: Change, of object: ExportedObject? = nil) {
        if let object { positions[ObjectIdentifier(object), default: []].append(pending.count) }
        pending.append(change)
        if pending.count == 1 { onPending() }
    }

    /// Emits the signals of all changes.
    func flush() {
        guard !pending.isEmpty else { return }
        let changes = pending
        (pending, positions) = ([], [:])
        for case .some(let change) in changes { emit(Self.signal(of: change)) }
    }

    private static func signal(of change: Change) -> BusSignal {
        switch change {
        case .added(let object, let interfaces):
            return BusSignal(
                path: "/", interface: Interface.objectManager.name, member: "InterfacesAdded",
                arguments: [.path(object.path), object.contents(of: interfaces)])
        case .removed(let path, let interfaces):
            return BusSignal(
                path: "/", interface: Interface.objectManager.name, member: "InterfacesRemoved",
                arguments: [.path(path), .strings(interfaces)])
        case .properties(let object, let interface, let names):
            var values: [String: BusValue] = [:]
            for name in names { values[name] = interface.property(name)?.read(object) }
            return BusSignal(
                path: object.path, interface: Interface.properties.name, member: "PropertiesChanged",
                arguments: [
                    .string(interface.name), .properties(values), .strings(names.filter { values[$0] == nil }),
                ])
        }
    }

    /// The objects with interfaces of their own, as `GetManagedObjects` returns them.
    var managedObjects: BusValue {
        .dictionary(
            Dictionary(
                uniqueKeysWithValues: objects.values.filter { $0.path != "/" }.map {
                    (.path($0.path), $0.contents(of: $0.allInterfaces))
                }), key: "o", value: "a{sa{sv}}")
    }

    /// Returns the names of the nodes below a path.
    func children(of path: String) -> [String] {
        let prefix = path == "/" ? "/" : path + "/"
        var names: Set<Substring> = []
        for other in objects.keys where other != path && other.hasPrefix(prefix) {
            names.insert(other.dropFirst(prefix.count).prefix { $0 != "/" })
        }
        return names.map(String.init).sorted()
    }
}
