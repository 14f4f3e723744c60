#if Programs
import Harald

/// Finds the characteristic that is meant on a connected device.
struct CharacteristicFinder {
    let peripheral: Peripheral
    var timeout: Duration = .seconds(10)

    /// The characteristic that `path` names. Several that fit are an error that lists their handles.
    func find(_ path: AttributePath) async throws -> Characteristic {
        let services = try await services(path.services)
        var all: [Characteristic] = []
        for service in services { all += try await characteristics(of: service) }
        let found = all.filter {
            path.names(service: $0.service.uuid, characteristic: $0.uuid, attribute: $0.attribute.rawValue)
        }
        if found.count == 1 { return found[0] }
        if found.isEmpty {
            throw ProgramError(
                .notFound,
                "\(peripheral) has no characteristic \(path); "
                    + (all.isEmpty ? await servicesText() : "it has \(Self.list(all))"))
        }
        throw ProgramError(
            .notFound,
            "\(found.count) characteristics of \(peripheral) fit \(path); name one by its handle: \(Self.list(found))")
    }

    /// The characteristics that send values by themselves, of one service or all.
    func subscribable(in uuids: [BluetoothUUID]?) async throws -> [Characteristic] {
        var all: [Characteristic] = []
        for service in try await services(uuids) { all += try await characteristics(of: service) }
        return all.filter { !$0.properties.isDisjoint(with: [.notify, .indicate]) }
    }

    private func services(_ uuids: [BluetoothUUID]?) async throws -> [Service] {
        let known = peripheral.services.filter { uuids?.contains($0.uuid) ?? false }
        return known.isEmpty ? try await peripheral.discoverServices(uuids, timeout: timeout) : known
    }

    private func characteristics(of service: Service) async throws -> [Characteristic] {
        let known = service.characteristics
        return known.isEmpty ? try await service.discoverCharacteristics(timeout: timeout) : known
    }

    private func servicesText() async -> String {
        guard let services = try? await peripheral.discoverServices(timeout: timeout) else { return "" }
        return "its services are \(services.map(\.description).joined(separator: ", "))"
    }

    private static func list(_ characteristics: [Characteristic]) -> String {
        characteristics.map { "\($0.service.uuid)/\($0.uuid) (#\(HandleText.text($0.attribute.rawValue)))" }
            .joined(separator: ", ")
    }
}
#endif
