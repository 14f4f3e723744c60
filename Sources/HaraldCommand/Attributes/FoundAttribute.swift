import Explorer
import Harald

/// A characteristic or a descriptor of a connected device.
enum FoundAttribute: Sendable {
    case characteristic(Characteristic)
    case descriptor(Descriptor)

    func read(timeout: Duration) async throws -> [UInt8] {
        switch self {
        case .characteristic(let characteristic): try await characteristic.read(timeout: timeout)
        case .descriptor(let descriptor): try await descriptor.read(timeout: timeout)
        }
    }

    /// Interprets bytes that were read. Those of a characteristic of unknown type are interpreted by its Characteristic
    /// Presentation Format.
    func value(read bytes: [UInt8], timeout: Duration) async -> CharacteristicValue {
        guard case .characteristic(let characteristic) = self else { return value(bytes) }
        let format = await characteristic.presentationFormat(timeout: timeout, discovers: true)
        return CharacteristicValue(bytes, of: characteristic, format: format)
    }

    func value(_ bytes: [UInt8]) -> CharacteristicValue {
        switch self {
        case .characteristic(let characteristic): CharacteristicValue(bytes, of: characteristic)
        case .descriptor(let descriptor): CharacteristicValue(bytes, of: descriptor)
        }
    }
}

/// Finds a characteristic or a descriptor of a connected device by its path.
struct AttributeFinder {
    let peripheral: Peripheral
    var timeout: Duration = .seconds(10)

    /// Returns the attribute that `path` names. Secondary services are searched if no primary service has it.
    /// - Throws: ``ProgramError`` if no attribute matches, or if several do; the message then lists their handles. Also
    ///   an error of discovery.
    func find(_ path: AttributePath) async throws -> FoundAttribute {
        var all: [Characteristic] = []
        switch path {
        case .handle(let handle):
            for isPrimary in [true, false] {
                let here = try await characteristics(of: nil, isPrimary: isPrimary)
                if let found = here.first(where: { $0.valueHandle.rawValue == handle }) {
                    return .characteristic(found)
                }
                if let found = try await descriptor(among: here, handle: handle) { return .descriptor(found) }
                all += here
            }
        case .readings(let readings, _):
            for isPrimary in [true, false] {
                var here: [Characteristic] = []
                for reading in readings {
                    let found: [FoundAttribute]
                    (found, here) = try await attributes(reading, isPrimary: isPrimary)
                    if found.count == 1 { return found[0] }
                    if found.count > 1 {
                        throw ProgramError(
                            .notFound,
                            "\(found.count) attributes of \(peripheral) match \(path); use a handle: "
                                + Self.list(found))
                    }
                }
                all += here
            }
        }
        let what = path.isDescriptor ? "descriptor" : "characteristic"
        throw ProgramError(
            .notFound,
            "\(peripheral) has no \(what) \(path); "
                + (all.isEmpty ? await servicesText() : "it has \(Self.list(all.map { .characteristic($0) }))"))
    }

    /// Returns the characteristic that `path` names.
    /// - Throws: ``ProgramError`` as ``find(_:)``, and if the path names a descriptor.
    func findCharacteristic(_ path: AttributePath) async throws -> Characteristic {
        switch try await find(path) {
        case .characteristic(let characteristic): return characteristic
        case .descriptor(let descriptor):
            throw ProgramError(.usage, "\(path) is the descriptor \(descriptor); expected a characteristic")
        }
    }

    /// Returns the characteristics of these services that notify or indicate.
    /// - Throws: an error of discovery.
    func subscribable(in uuids: [BluetoothUUID]) async throws -> [Characteristic] {
        for isPrimary in [true, false] {
            let found = try await characteristics(of: uuids, isPrimary: isPrimary)
                .filter { !$0.properties.isDisjoint(with: [.notify, .indicate]) }
            if !found.isEmpty { return found }
        }
        return []
    }

    /// Returns the attributes that match an interpretation, and the characteristics that were searched.
    private func attributes(
        _ reading: AttributePath.Reading, isPrimary: Bool
    ) async throws -> ([FoundAttribute], [Characteristic]) {
        let all = try await characteristics(of: reading.services, isPrimary: isPrimary)
        let fitting = all.filter { reading.names(service: $0.service.uuid, characteristic: $0.uuid) }
        guard let wanted = reading.descriptors else { return (fitting.map { .characteristic($0) }, all) }
        var found: [FoundAttribute] = []
        for characteristic in fitting {
            found += try await descriptors(of: characteristic).filter { wanted.contains($0.uuid) }
                .map { .descriptor($0) }
        }
        return (found, all)
    }

    /// Returns the descriptor with this handle. It belongs to the characteristic with the greatest lower handle.
    private func descriptor(among all: [Characteristic], handle: UInt32) async throws -> Descriptor? {
        let owner = all.filter { $0.valueHandle.rawValue < handle }.max {
            $0.valueHandle.rawValue < $1.valueHandle.rawValue
        }
        guard let owner else { return nil }
        return try await descriptors(of: owner).first { $0.handle.rawValue == handle }
    }

    private func descriptors(of characteristic: Characteristic) async throws -> [Descriptor] {
        let known = characteristic.descriptors
        return known.isEmpty ? try await characteristic.discoverDescriptors(timeout: timeout) : known
    }

    private func characteristics(of services: [BluetoothUUID]?, isPrimary: Bool) async throws -> [Characteristic] {
        var all: [Characteristic] = []
        for service in try await self.services(services, isPrimary: isPrimary) {
            let known = service.characteristics
            all += known.isEmpty ? try await service.discoverCharacteristics(timeout: timeout) : known
        }
        return all
    }

    private func services(_ uuids: [BluetoothUUID]?, isPrimary: Bool) async throws -> [Service] {
        let known = peripheral.services.filter { $0.isPrimary == isPrimary && uuids?.contains($0.uuid) ?? false }
        guard known.isEmpty else { return known }
        if isPrimary { return try await peripheral.discoverServices(uuids, timeout: timeout) }
        return try await peripheral.discoverSecondaryServices(timeout: timeout)
            .filter { uuids?.contains($0.uuid) ?? true }
    }

    private func servicesText() async -> String {
        guard let services = try? await peripheral.discoverServices(timeout: timeout) else { return "" }
        return "its services are \(services.map(\.description).joined(separator: ", "))"
    }

    private static func list(_ attributes: [FoundAttribute]) -> String {
        attributes.map { attribute in
            switch attribute {
            case .characteristic(let characteristic): text(of: characteristic)
            case .descriptor(let descriptor):
                "\(descriptor.characteristic.service.uuid)/\(descriptor.characteristic.uuid)/\(descriptor.uuid) "
                    + "(#\(HandleText.text(descriptor.handle.rawValue)))"
            }
        }.joined(separator: ", ")
    }

    private static func text(of characteristic: Characteristic) -> String {
        let handle = HandleText.text(characteristic.valueHandle.rawValue)
        return "\(characteristic.service.uuid)/\(characteristic.uuid) (#\(handle))"
    }
}
