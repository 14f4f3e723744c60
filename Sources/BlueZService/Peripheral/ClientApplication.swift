import BluetoothBackend
import BluetoothModel
import SystemBus

/// A registered application of a client, and where its services are in the database. Confined to the loop.
final class ClientApplication {
    let objects: ClientObjects
    /// nil until the client has described its objects.
    var definition: ApplicationDefinition?
    /// The placed services, by the paths of their objects.
    private(set) var placed: [String: PlacedService] = [:]
    private(set) var attributes: [AttributeID: ServedAttribute] = [:]

    init(_ objects: ClientObjects) { self.objects = objects }

    /// Adds the services to the database of a device: all of them, or none.
    func place(on device: any LocalDevice) throws(RadioError) {
        guard let definition else { return }
        do throws(RadioError) {
            for service in definition.services {
                var local = service.local
                local.included = service.includes.compactMap { placed[$0]?.id }
                let place = try device.add(local)
                placed[service.path] = place
                serve(service, at: place)
            }
        } catch {
            withdraw(from: device)
            throw error
        }
    }

    private func serve(_ service: ApplicationDefinition.Service, at place: PlacedService) {
        tellHandle(place.id, service.path, ApplicationDefinition.serviceInterface)
        for (characteristic, place) in zip(service.characteristics, place.characteristics) {
            serve(place.value, characteristic.path, ApplicationDefinition.characteristicInterface)
            for (position, path) in characteristic.descriptors where position < place.descriptors.count {
                serve(place.descriptors[position], path, ApplicationDefinition.descriptorInterface)
            }
        }
    }

    private func serve(_ id: AttributeID, _ path: String, _ interface: String) {
        attributes[id] = ServedAttribute(objects, path, interface)
        tellHandle(id, path, interface)
    }

    /// Sets the `Handle` of an object that left the choice to the service.
    private func tellHandle(_ id: AttributeID, _ path: String, _ interface: String) {
        guard objects.all[path]?[interface]?["Handle"] == .uint16(0) else { return }
        objects.call(
            path, Interface.properties.name, "Set",
            [.string(interface), .string("Handle"), .variant(.uint16(UInt16(truncatingIfNeeded: id.rawValue)))])
    }

    /// Ends the registration, and tells the profiles of the client.
    func end() {
        for path in (definition?.profiles ?? [:]).keys.sorted() {
            objects.call(path, ApplicationDefinition.profileInterface, "Release")
        }
        objects.stop()
    }

    /// Removes the services from the database.
    func withdraw(from device: (any LocalDevice)?) {
        for place in placed.values { device?.remove(place.id) }
        placed = [:]
        attributes = [:]
    }

    /// Removes one service, whose object the client has removed.
    func withdraw(_ path: String, from device: (any LocalDevice)?) {
        guard let service = placed.removeValue(forKey: path) else { return }
        device?.remove(service.id)
        for characteristic in service.characteristics {
            for id in [characteristic.value] + characteristic.descriptors { attributes[id] = nil }
        }
    }

    /// Returns the attribute of the object at a path.
    func attribute(at path: String) -> (id: AttributeID, attribute: ServedAttribute)? {
        attributes.first { $0.value.path == path }.map { ($0.key, $0.value) }
    }
}
