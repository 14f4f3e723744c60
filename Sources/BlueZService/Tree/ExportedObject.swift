import SystemBus

/// An object on the bus. Confined to the loop.
class ExportedObject {
    /// The path of the object.
    let path: String
    /// The tree that the object is exported in; nil before and after.
    final weak var tree: ObjectTree?

    init(path: String) { self.path = path }

    /// The interfaces of the object, without the standard ones.
    var interfaces: [Interface] { [] }

    /// The interfaces of the object, and the standard ones that it has with them.
    final var allInterfaces: [Interface] {
        let own = interfaces
        let hasProperties = own.contains { !$0.properties.isEmpty }
        return [.introspectable] + (hasProperties ? [.properties] : []) + own
    }

    /// Called when a client has left the bus: what it held is released.
    func clientLeft(_ client: String) {}

    /// Announces that properties changed. Their values are read when the signal is sent.
    final func changed(_ interface: Interface, _ properties: [String]) {
        tree?.changed(self, interface, properties)
    }

    /// Returns the interface with this name.
    final func interface(named name: String) -> Interface? {
        allInterfaces.first { $0.name == name }
    }

    /// The interfaces, as signals about objects list them.
    final func contents(of listed: [Interface]) -> BusValue {
        .dictionary(
            Dictionary(listed.map { (.string($0.name), $0.values(of: self)) }) { $1 }, key: "s", value: "a{sv}")
    }
}
