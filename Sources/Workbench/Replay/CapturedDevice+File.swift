import BluetoothHost
import BluetoothModel
import Explorer
import VirtualDevices

extension CapturedDevice {
    /// A device file, its recording, and messages about data that the capture lacks.
    package struct Replay: Sendable {
        package var file: DeviceFile
        package var recording: Recording
        package var notes: [String] = []
        /// True if the capture has values of attributes that it does not describe.
        package var lacksAttributes = false
    }

    /// Returns the device as a file with the values of the capture.
    /// - Parameter database: the attributes of the device; nil for those that the capture shows.
    package func replay(database: DeviceFile?) -> Replay {
        var notes: [String] = []
        let events = currentEvents
        var file = database ?? described(&notes)
        let places = Self.places(of: file)
        let used = Set(events.map(\.handle))
        let known = Set(places.keys)
        let configurations = Set(Self.configurations(of: file).keys)
        let unknown = used.subtracting(known).subtracting(configurations).subtracting(descriptorHandles(of: file))
        if !unknown.isEmpty {
            let handles = unknown.sorted().map { "#\(HandleText.text(UInt32($0)))" }.joined(separator: ", ")
            notes.append(
                "\(handles): the capture does not show these attributes; a device file with their handles can "
                    + "describe them"
            )
        }
        let recording = Recording(events, places: places, configurations: Self.configurations(of: file))
        for (handle, place) in places {
            // The first recorded value is the initial value of the characteristic.
            if let value = recording.firstValue(of: handle) {
                file.services[place.service].characteristics[place.characteristic].value = ValueTemplate(value)
            }
            file.services[place.service].characteristics[place.characteristic].notifyEvery = nil
        }
        if recording.isEmpty { notes.append("the capture has no values of this device") }
        file.program = DeviceProgramKind("replay") { stage in ReplayProgram(recording, stage: stage) }
        return Replay(
            file: file, recording: recording, notes: notes,
            lacksAttributes: !unknown.isEmpty || (database == nil && services.isEmpty))
    }

    /// The place of a characteristic in a device file.
    package struct Place: Hashable, Sendable {
        package var service: Int
        package var characteristic: Int
        package var serviceUUID: BluetoothUUID
        package var uuid: BluetoothUUID
    }

    /// Returns the characteristics of a file by their value handles.
    static func places(of file: DeviceFile) -> [UInt16: Place] {
        var places: [UInt16: Place] = [:]
        for (index, service) in file.services.enumerated() {
            for (number, characteristic) in service.characteristics.enumerated() {
                guard let handle = characteristic.handle else { continue }
                places[handle] = Place(
                    service: index, characteristic: number, serviceUUID: service.uuid, uuid: characteristic.uuid)
            }
        }
        return places
    }

    /// Returns the value handles of the characteristics by the handles of their configurations.
    static func configurations(of file: DeviceFile) -> [UInt16: UInt16] {
        var result: [UInt16: UInt16] = [:]
        for characteristic in file.services.flatMap(\.characteristics) {
            guard let value = characteristic.handle else { continue }
            let stated = characteristic.descriptors.first { $0.uuid == 0x2902 }?.handle
            // A configuration without a handle is assumed directly after the value.
            if let handle = stated ?? (characteristic.isSubscribable && value < .max ? value + 1 : nil) {
                result[handle] = value
            }
        }
        return result
    }

    private func descriptorHandles(of file: DeviceFile) -> Set<UInt16> {
        Set(file.services.flatMap(\.characteristics).flatMap(\.descriptors).compactMap(\.handle))
    }

    /// Returns the services that discoveries in the capture found.
    private func described(_ notes: inout [String]) -> DeviceFile {
        var file = DeviceFile(name: name ?? gapName ?? "Replay")
        if let address, address.randomKind == .staticAddress { file.address = .randomStatic(address) }
        let (data, response) = DeviceAdvertising.packets(
            of: AdvertisingData(parsing: (advertisement ?? []) + (scanResponse ?? [])))
        if advertisement != nil { (file.advertising.raw, file.advertising.rawScanResponse) = (data, response) }
        file.addsGenericServices = false
        for service in services.sorted(by: { $0.handle < $1.handle }) {
            var copy = DeviceService(service.uuid, isPrimary: service.isPrimary, handle: service.handle)
            if services.count(where: { $0.uuid == service.uuid }) > 1 { copy.name = "service \(service.handle)" }
            let inside = characteristics.filter { service.range.contains($0.declarationHandle) }
                .sorted { $0.declarationHandle < $1.declarationHandle }
            for (index, characteristic) in inside.enumerated() {
                let end = index + 1 < inside.count ? inside[index + 1].declarationHandle - 1 : service.range.upperBound
                let (declaration, value) = (characteristic.declarationHandle, characteristic.valueHandle)
                guard declaration < value, value <= end else { continue }
                copy.characteristics.append(self.copy(characteristic, until: end))
            }
            file.services.append(copy)
        }
        for (index, service) in file.services.enumerated() {
            guard let range = services.first(where: { $0.handle == service.handle })?.range else { continue }
            for include in includes where range.contains(include.handle) {
                guard let other = file.services.first(where: { $0.handle == include.range.lowerBound }) else {
                    continue
                }
                file.services[index].includes.append(other.name.map { .name($0) } ?? .uuid(other.uuid))
            }
        }
        if services.isEmpty {
            notes.append("the capture contains no discovery of services; a device file with handles can describe them")
        }
        return file
    }

    private var gapName: String? {
        guard let handle = characteristics.first(where: { $0.uuid == 0x2A00 })?.valueHandle else { return nil }
        for event in currentEvents {
            if case .read(handle, .value(let bytes)) = event.action { return String(decoding: bytes, as: UTF8.self) }
        }
        return nil
    }

    private func copy(_ characteristic: GATTCharacteristic, until end: UInt16) -> DeviceCharacteristic {
        var copy = DeviceCharacteristic(
            characteristic.uuid, characteristic.properties, handle: characteristic.valueHandle)
        let sends = !characteristic.properties.isDisjoint(with: [.notify, .indicate])
        let inside = descriptors.filter { $0.handle > characteristic.valueHandle && $0.handle <= end }
        for descriptor in inside.sorted(by: { $0.handle < $1.handle }) {
            let value = currentEvents.lazy.compactMap { event -> [UInt8]? in
                if case .read(descriptor.handle, .value(let bytes)) = event.action { bytes } else { nil }
            }.first
            copy.descriptors.append(
                DeviceDescriptor(
                    descriptor.uuid, value: descriptor.uuid == 0x2902 ? [] : value ?? [], handle: descriptor.handle))
        }
        // A configuration that was written exists, even if the capture has no discovery of descriptors.
        let isConfigured = currentEvents.contains { event in
            guard case .write(let handle, let bytes, _, _) = event.action else { return false }
            return bytes.count == 2 && handle > 0 && handle - 1 == characteristic.valueHandle
        }
        let hasRoom = characteristic.valueHandle < end
        if sends, !hasRoom || !inside.isEmpty && !inside.contains(where: { $0.uuid == 0x2902 }) && !isConfigured {
            copy.hasConfiguration = false
        }
        return copy
    }
}

extension CapturedDevice.Event {
    package var handle: UInt16 {
        switch action {
        case .read(let handle, _), .write(let handle, _, _, _), .sent(let handle, _): handle
        }
    }
}
