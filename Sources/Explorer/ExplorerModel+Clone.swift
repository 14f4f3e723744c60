import Harald
import VirtualDevices

/// Device files of real devices.
extension ExplorerModel {
    /// Returns a device file with the known data of a device: its advertisement, its attributes, and the values read so
    /// far. No value is read by this call; the attributes of a connectable device are discovered. `harald simulate`
    /// simulates the device from the file.
    /// - Throws: `notFound` if the device is unknown, or an error of discovery, which requires a link.
    package func clone(_ id: PeripheralID, for viewer: ViewerID) async throws(BluetoothError) -> DeviceFile {
        let session = try await session(id)
        if records[id]?.isConnectable ?? true { try await discover(session, for: viewer) }
        let peripheral = session.peripheral
        let name = String((records[id]?.name ?? peripheral.name ?? "Clone").prefix(60))
        var file = DeviceFile(name: name)
        if let address = peripheral.address, address.kind == .random, address.value >> 46 == 3 {
            file.address = .randomStatic(address)
        }
        if let record = records[id] {
            file.advertising = advertising(of: record)
            file.appearance = record.advertisement.appearance ?? .unknown
        }
        let services = peripheral.services.filter { $0.uuid != 0x1800 && $0.uuid != 0x1801 }
        for service in services {
            var copy = DeviceService(service.uuid, isPrimary: service.isPrimary)
            copy.includes = service.includedServices.filter(services.contains).map { .uuid($0.uuid) }
            for characteristic in service.characteristics {
                copy.characteristics.append(clone(characteristic, in: session))
            }
            file.services.append(copy)
        }
        return file
    }

    private func clone(_ characteristic: Characteristic, in session: DeviceSession) -> DeviceCharacteristic {
        func value(_ handle: UInt32) -> [UInt8]? {
            session.values[handle]?.recent.last.map { Array($0.value.bytes.prefix(512)) }
        }
        var copy = DeviceCharacteristic(
            characteristic.uuid, characteristic.properties,
            value: ValueTemplate(value(characteristic.valueHandle.rawValue) ?? []))
        for descriptor in characteristic.descriptors {
            let bytes = value(descriptor.handle.rawValue)
            switch descriptor.uuid {
            // Added automatically if the characteristic notifies or indicates.
            case 0x2902: break
            case 0x2901:
                guard let bytes else { break }
                if let text = String(validating: bytes, as: UTF8.self) {
                    copy.description = text
                } else {
                    copy.descriptors.append(DeviceDescriptor(descriptor.uuid, value: bytes))
                }
            default:
                if let bytes { copy.descriptors.append(DeviceDescriptor(descriptor.uuid, value: bytes)) }
            }
        }
        return copy
    }

    /// The structures as they were heard, as far as they fit.
    private func advertising(of record: DeviceRecord) -> DeviceAdvertising {
        var advertising = DeviceAdvertising()
        advertising.isConnectable = record.isConnectable
        if let interval = record.device(connection: .disconnected).interval {
            let milliseconds = min(max((interval / .milliseconds(1)).rounded(), 20), 10_240)
            advertising.interval = .milliseconds(Int(milliseconds))
        }
        let packet = record.packets[.advertisement], response = record.packets[.scanResponse]
        if let packet, packet.count <= 31, response?.count ?? 0 <= 31 {
            (advertising.raw, advertising.rawScanResponse) = (packet, response.flatMap { $0.isEmpty ? nil : $0 })
        } else {
            (advertising.raw, advertising.rawScanResponse) = DeviceAdvertising.packets(of: record.advertisement)
        }
        return advertising
    }
}

extension DeviceAdvertising {
    /// Distributes the structures over an advertisement and a scan response of 31 bytes each. Structures that do not
    /// fit come from extended advertising and are omitted.
    package static func packets(of data: AdvertisingData) -> (raw: [UInt8], scanResponse: [UInt8]?) {
        var packets: [[UInt8]] = [[], []]
        for structure in data.structures {
            let bytes = AdvertisingData(structures: [structure]).encoded
            guard let index = packets.firstIndex(where: { $0.count + bytes.count <= 31 }) else { continue }
            packets[index] += bytes
        }
        return (packets[0], packets[1].isEmpty ? nil : packets[1])
    }
}
