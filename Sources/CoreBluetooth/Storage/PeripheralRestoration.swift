import BluetoothBackend
import BluetoothModel
import Foundation

/// The state of a peripheral manager, stored for the next run of the program. Confined to the loop.
final class PeripheralRestoration {
    /// The state of an earlier run.
    struct Saved: Sendable {
        var services: [SavedService]
        var advertisement: SavedAdvertisement?
    }

    /// The advertised name and services.
    struct SavedAdvertisement: Codable, Equatable, Sendable {
        var name: String?
        var services: [String]

        /// The argument of `startAdvertising`.
        var dictionary: [String: Any] {
            var result: [String: Any] = [
                CBAdvertisementDataServiceUUIDsKey: services.compactMap { BluetoothUUID($0) }.map { CBUUID($0) }
            ]
            result[CBAdvertisementDataLocalNameKey] = name
            return result
        }
    }

    private struct Content: Codable, Equatable {
        var version = 1
        var services: [SavedService] = []
        var advertisement: SavedAdvertisement?
    }

    private let file: RestorationFile
    private var content = Content()

    init(identifier: String, directory: String) {
        file = RestorationFile(directory: directory, kind: "peripheral", identifier: identifier)
    }

    func load() -> Saved? {
        guard let saved: Content = file.read(), saved.version == 1 else { return nil }
        content = saved
        guard !saved.services.isEmpty || saved.advertisement != nil else { return nil }
        return Saved(services: saved.services, advertisement: saved.advertisement)
    }

    func keep(services: [CBMutableService]) { change { $0.services = services.map { SavedService($0) } } }

    func keep(advertisement: AdvertisingData?) {
        change { content in
            content.advertisement = advertisement.map {
                SavedAdvertisement(name: $0.localName, services: $0.serviceUUIDs.map(\.fullText))
            }
        }
    }

    private func change(_ body: (inout Content) -> Void) {
        let old = content
        body(&content)
        if content != old { file.write(content) }
    }
}

/// A service as it is stored.
struct SavedService: Codable, Equatable, Sendable {
    struct Characteristic: Codable, Equatable {
        var uuid: String
        var properties: UInt
        var permissions: UInt
        var value: Data?
        var descriptors: [Descriptor]
    }

    struct Descriptor: Codable, Equatable {
        var uuid: String
        var text: String?
        var data: Data?
    }

    var uuid: String
    var isPrimary: Bool
    var characteristics: [Characteristic]

    init(_ service: CBMutableService) {
        uuid = service.uuid.model.fullText
        isPrimary = service.isPrimary
        characteristics = (service.characteristics ?? []).map { characteristic in
            Characteristic(
                uuid: characteristic.uuid.model.fullText, properties: characteristic.properties.rawValue,
                permissions: (characteristic as? CBMutableCharacteristic)?.permissions.rawValue ?? 0,
                value: characteristic.value,
                descriptors: (characteristic.descriptors ?? []).map {
                    Descriptor(uuid: $0.uuid.model.fullText, text: $0.value as? String, data: $0.value as? Data)
                })
        }
    }

    /// Creates the service, to be published again.
    var service: CBMutableService {
        let service = CBMutableService(type: Self.uuid(uuid), primary: isPrimary)
        service.characteristics = characteristics.map { saved in
            let characteristic = CBMutableCharacteristic(
                type: Self.uuid(saved.uuid), properties: CBCharacteristicProperties(rawValue: saved.properties),
                value: saved.value, permissions: CBAttributePermissions(rawValue: saved.permissions))
            if !saved.descriptors.isEmpty {
                characteristic.descriptors = saved.descriptors.map {
                    CBMutableDescriptor(type: Self.uuid($0.uuid), value: $0.text ?? $0.data)
                }
            }
            return characteristic
        }
        return service
    }

    /// Returns the UUID of a text; the nil UUID, which no central uses, for damaged text.
    private static func uuid(_ text: String) -> CBUUID { CBUUID(BluetoothUUID(text) ?? BluetoothUUID(high: 0, low: 0)) }
}
