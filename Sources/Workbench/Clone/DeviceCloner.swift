import Explorer
import Harald
import VirtualDevices

/// Creates a device file from a connected device: its database with handles, the readable values, the permissions of
/// reads and subscriptions, and the intervals of notifications.
package struct DeviceCloner: Sendable {
    /// True to omit the values and the measurements, which are the intervals and the address.
    package var isStructure = false
    /// Characteristics that are neither read nor subscribed to.
    package var skipped: Set<BluetoothUUID> = []
    /// The time to wait for notifications.
    package var observation = Duration.seconds(5)
    /// The timeout of each operation.
    package var timeout = Duration.seconds(10)
    /// Asks the user for consent to read and subscribe to vendor-specific characteristics.
    package var consents: @Sendable ([Characteristic]) async -> Bool = { _ in false }

    /// A device file, and messages about data that is missing from it.
    package struct Result: Sendable {
        package var file: DeviceFile
        /// Messages for the user.
        package var notes: [String] = []
        /// True if vendor-specific characteristics were not read because the user did not consent.
        package var lacksConsent = false
    }

    /// Creates a cloner that reads the characteristics defined by the Bluetooth SIG.
    package init() {}

    /// Clones a connected device.
    /// - Parameter heard: The advertising of the device; nil if it was not received.
    /// - Throws: ``BluetoothError`` if the link ends or an operation fails; `CancellationError` if the task is
    ///   cancelled.
    package func clone(_ peripheral: Peripheral, heard: HeardAdvertising?) async throws -> Result {
        let services = try await DeviceTree.services(of: peripheral, timeout: timeout)
        let reader = try await reader(for: services)
        var result = Result(file: DeviceFile(name: ""))
        var copies: [DeviceService] = []
        for (index, service) in services.enumerated() {
            copies.append(try await copy(service, at: index, among: services, reader, &result))
        }
        if observation > .zero { try await observe(services, &copies, reader, &result) }
        describe(peripheral, heard, &copies, &result)
        result.file.services = isStructure ? copies.map(\.withoutValues) : copies
        result.file.addsGenericServices = false
        if isStructure { result.file.address = .automatic }
        result.notes += reader.notes
        result.lacksConsent = !reader.readsVendors
        if peripheral.skippedAttributeCount > 0 {
            result.notes.append(
                "\(peripheral.skippedAttributeCount) attributes violate the specification and are omitted")
        }
        return result
    }

    /// Asks for consent if the device has vendor-specific characteristics, and returns the reader.
    private func reader(for services: [Service]) async throws -> CloneReader {
        let vendors = services.flatMap(\.characteristics).filter {
            CloneReader.isVendor($0.uuid) && !skipped.contains($0.uuid)
                && !$0.properties.isDisjoint(with: [.read, .notify, .indicate])
        }
        let isAllowed = vendors.isEmpty ? true : await consents(vendors)
        try Task.checkCancellation()
        let reader = CloneReader(skipped: skipped, readsVendors: isAllowed, timeout: timeout)
        if !isAllowed {
            let what =
                vendors.count == 1 ? "a vendor characteristic was" : "\(vendors.count) vendor characteristics were"
            reader.notes.append("\(what) not read, because there was no consent")
        }
        return reader
    }

    private func copy(
        _ service: Service, at index: Int, among services: [Service], _ reader: CloneReader, _ result: inout Result
    ) async throws -> DeviceService {
        var copy = DeviceService(service.uuid, isPrimary: service.isPrimary, handle: Self.handle(service.handle))
        // A name identifies the service in `includes` if its UUID is not unique.
        if services.count(where: { $0.uuid == service.uuid }) > 1 { copy.name = "service \(index + 1)" }
        for included in service.includedServices {
            guard let place = services.firstIndex(where: { $0.handle == included.handle }) else {
                result.notes.append("\(service) includes \(included), which was not discovered")
                continue
            }
            let isOne = services.count { $0.uuid == included.uuid } == 1
            copy.includes.append(isOne ? .uuid(included.uuid) : .name("service \(place + 1)"))
        }
        for characteristic in service.characteristics {
            copy.characteristics.append(try await reader.copy(characteristic))
        }
        return copy
    }

    static func handle(_ attribute: AttributeID) -> UInt16? { UInt16(exactly: attribute.rawValue) }

    /// Sets the advertising, the name, the appearance and the address.
    private func describe(
        _ peripheral: Peripheral, _ heard: HeardAdvertising?, _ copies: inout [DeviceService], _ result: inout Result
    ) {
        if let heard {
            result.file.advertising = heard.advertising
            if let problem = heard.problem { result.notes.append(problem) }
            if heard.interval == nil {
                result.notes.append("too few advertisements were received to determine the advertising interval")
            }
        }
        if isStructure { result.file.advertising.interval = DeviceAdvertising().interval }
        if let address = peripheral.address, address.randomKind == .staticAddress {
            result.file.address = .randomStatic(address)
        }
        let gap = copies.firstIndex { $0.uuid == 0x1800 }
        func value(_ uuid: BluetoothUUID) -> [UInt8]? {
            gap.flatMap { copies[$0].characteristics.first { $0.uuid == uuid }?.value.fixedBytes }
        }
        let name = value(0x2A00).flatMap { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) }
        result.file.name = name ?? peripheral.name ?? "Clone"
        if let bytes = value(0x2A01), bytes.count == 2 {
            result.file.appearance = Appearance(rawValue: UInt16(bytes[0]) | UInt16(bytes[1]) << 8)
        } else if let appearance = peripheral.advertisement?.appearance {
            result.file.appearance = appearance
        }
        // The device file contains the name and the appearance, and the stack provides the others.
        let made: [BluetoothUUID] = [0x2A00, 0x2A01, 0x2B29, 0x2B2A]
        for service in copies.indices where [0x1800, 0x1801].contains(copies[service].uuid) {
            for index in copies[service].characteristics.indices
            where made.contains(copies[service].characteristics[index].uuid) {
                copies[service].characteristics[index].value = .init()
            }
        }
    }
}

extension DeviceService {
    /// The service without values and notification intervals.
    fileprivate var withoutValues: DeviceService {
        var copy = self
        for index in copy.characteristics.indices {
            copy.characteristics[index].value = .init()
            copy.characteristics[index].notifyEvery = nil
            for number in copy.characteristics[index].descriptors.indices {
                copy.characteristics[index].descriptors[number].value = []
            }
        }
        return copy
    }
}
