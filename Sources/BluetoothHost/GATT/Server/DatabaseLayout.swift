import BluetoothModel

/// The error of a definition that cannot be placed in a database.
package struct GATTPlacementError: Error, Hashable, Sendable {
    /// The index of the service among the services to place; nil for one of the server's own.
    package var service: Int?
    /// The index of the characteristic in its service; nil if the error concerns the service.
    package var characteristic: Int?
    /// The index of the descriptor in its characteristic; nil if the error concerns the characteristic.
    package var descriptor: Int?
    /// The reason.
    package var reason: RadioError
}

/// The attributes of several services that are placed together, so that each can include any other.
///
/// Services 1800 and 1801 without a handle are placed first, in this order, then the others in their order. A service
/// without a handle follows the highest handle so far.
struct DatabaseLayout {
    private(set) var table = AttributeTable()
    private(set) var placed: [GATTPlacedService] = []

    /// Lays out `services`, and those services of `generic` whose UUIDs are not among them.
    /// - Throws: ``GATTPlacementError`` for the first definition that cannot be placed.
    init(
        _ services: [GATTServiceDefinition], generic: [GATTServiceDefinition] = []
    ) throws(GATTPlacementError) {
        var order: [(index: Int?, service: GATTServiceDefinition)] = []
        for uuid in [GATTType.gapService, GATTType.gattService] {
            if let index = services.firstIndex(where: { $0.uuid == uuid }) {
                order.append((index, services[index]))
            } else if let service = generic.first(where: { $0.uuid == uuid }) {
                order.append((nil, service))
            }
        }
        let first = Set(order.compactMap(\.index))
        order += services.enumerated().filter { !first.contains($0.offset) }.map { ($0.offset, $0.element) }
        var places: [Int: GATTPlacedService] = [:]
        var openIncludes: [(declaration: Attribute, member: Int, of: Int?)] = []
        for (index, service) in order {
            var placement = ServicePlacement(table)
            do throws(RadioError) {
                let place = try placement.place(service)
                try table.insert(placement.group, endHandle: service.endHandle)
                if let index { places[index] = place }
            } catch {
                throw GATTPlacementError(
                    service: index, characteristic: placement.characteristic, descriptor: placement.descriptor,
                    reason: error)
            }
            openIncludes += placement.openIncludes.map { ($0.declaration, $0.member, index) }
        }
        for include in openIncludes {
            guard let handle = places[include.member]?.handle,
                let value = ServicePlacement.includeValue(handle, in: table)
            else {
                throw GATTPlacementError(
                    service: include.of, reason: .invalidArgument("there is no service \(include.member) to include"))
            }
            include.declaration.value = .declaration(value)
        }
        placed = services.indices.compactMap { places[$0] }
    }
}
