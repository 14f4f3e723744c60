import BluetoothHost
import BluetoothModel

/// The attribute server of a device, reconstructed from a capture.
package struct CapturedDevice: Sendable {
    /// The response of the device to a request.
    package enum Answer: Hashable, Sendable {
        case value([UInt8])
        case error(ATTErrorCode)
        /// A write that was acknowledged, or a command, which has no acknowledgement.
        case done
    }

    /// An event on a link to the device.
    package enum Action: Hashable, Sendable {
        case read(UInt16, Answer)
        case write(UInt16, [UInt8], isCommand: Bool, Answer)
        /// A notification or an indication.
        case sent(UInt16, [UInt8])
    }

    package struct Event: Hashable, Sendable {
        /// The number of the packet in the capture: of the request, or of the sent value.
        package var number: Int
        /// Nanoseconds since 1970; 0 if the capture has no times.
        package var time: Int64
        /// The number of the link in the capture.
        package var link: Int
        package var action: Action
    }

    /// The address; nil if it is not known, or for the captured host itself.
    package var address: BluetoothAddress?
    package var name: String?
    var advertisement: [UInt8]?
    var scanResponse: [UInt8]?
    var services: [GATTService] = []
    var includes: [(handle: UInt16, range: ClosedRange<UInt16>)] = []
    var characteristics: [GATTCharacteristic] = []
    var descriptors: [GATTDescriptor] = []
    /// The events in their order.
    package var events: [Event] = []
    /// The number of packets of the attribute protocol.
    package var packetCount = 0

    /// The number of events before the attribute with a handle was replaced.
    private var replaced: [UInt16: Int] = [:]

    /// The events of the attributes that the device has at the end of the capture.
    package var currentEvents: [Event] {
        events.enumerated().filter { $0.offset >= replaced[$0.element.handle] ?? 0 }.map(\.element)
    }
}

/// Discoveries. The device may change its attributes between two links: what a later discovery finds replaces the
/// attributes that it overlaps.
extension CapturedDevice {
    mutating func add(_ service: GATTService) {
        if let change = ServiceChange(adding: service, to: &services) { remove(change.replaces) }
    }

    mutating func add(_ characteristic: GATTCharacteristic) {
        // The end of a characteristic depends on the request.
        let isKnown = characteristics.contains {
            ($0.declarationHandle, $0.valueHandle, $0.uuid) == (
                characteristic.declarationHandle, characteristic.valueHandle, characteristic.uuid
            ) && $0.properties == characteristic.properties
        }
        guard !isKnown else { return }
        remove { $0 == characteristic.declarationHandle || $0 == characteristic.valueHandle }
        characteristics.append(characteristic)
    }

    mutating func add(_ descriptor: GATTDescriptor) {
        guard !descriptors.contains(descriptor) else { return }
        descriptors.removeAll { $0.handle == descriptor.handle }
        descriptors.append(descriptor)
    }

    mutating func addInclude(_ handle: UInt16, of range: ClosedRange<UInt16>) {
        includes.removeAll { $0.handle == handle }
        includes.append((handle, range))
    }

    /// Removes the attributes inside services, with their values.
    private mutating func remove(_ isReplaced: (UInt16) -> Bool) {
        let gone = characteristics.filter { isReplaced($0.declarationHandle) || isReplaced($0.valueHandle) }
        characteristics.removeAll { gone.contains($0) }
        for characteristic in gone { replaced[characteristic.valueHandle] = events.count }
        for descriptor in descriptors where isReplaced(descriptor.handle) { replaced[descriptor.handle] = events.count }
        descriptors.removeAll { isReplaced($0.handle) }
        includes.removeAll { isReplaced($0.handle) }
    }
}
