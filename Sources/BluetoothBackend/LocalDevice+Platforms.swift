import BluetoothModel

extension LocalDevice {
    /// Default for platforms that provide the services 1800 and 1801 themselves and choose the handles: adds one
    /// service after the other, each of which can include those before it.
    /// - Throws: ``LocalPlacementError`` about the first service that cannot be placed; those placed before are
    ///   removed.
    package func replaceDatabase(
        _ services: [LocalService], addsGenericServices: Bool
    ) throws(LocalPlacementError) -> [PlacedService] {
        guard addsGenericServices else {
            throw LocalPlacementError(
                service: nil, reason: .unsupported("the platform provides the services 1800 and 1801 on every device"))
        }
        for (index, service) in services.enumerated() {
            if let problem = service.problemOnPlatforms(at: index) {
                throw LocalPlacementError(service: index, reason: .unsupported(problem))
            }
        }
        var placed: [PlacedService] = []
        for (index, service) in services.enumerated() {
            var service = service
            service.included += service.includedMembers.map { placed[$0].id }
            service.includedMembers = []
            do throws(RadioError) { placed.append(try add(service)) } catch {
                for service in placed { remove(service.id) }
                throw LocalPlacementError(service: index, reason: error)
            }
        }
        return placed
    }
}

extension LocalService {
    /// The reason why a platform that lays out the database by itself cannot place the service; nil if it can.
    fileprivate func problemOnPlatforms(at index: Int) -> String? {
        if uuid == 0x1800 || uuid == 0x1801 { return "the platform provides the service \(uuid) on every device" }
        if characteristics.contains(where: { $0.hasConfiguration != nil }) {
            return "the platform adds the client characteristic configurations (2902) of service \(uuid) automatically"
        }
        if endHandle != nil { return "the platform chooses the handles, including the last one of service \(uuid)" }
        if includedMembers.contains(where: { $0 >= index }) {
            return "the platform adds services in order, so \(uuid) can include only earlier services"
        }
        return nil
    }
}
