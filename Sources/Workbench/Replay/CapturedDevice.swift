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

    /// An event with its time.
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
    /// The advertised name.
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

    mutating func add(_ service: GATTService) {
        guard !services.contains(where: { $0.handle == service.handle }) else { return }
        services.append(service)
    }

    mutating func add(_ characteristic: GATTCharacteristic) {
        guard !characteristics.contains(where: { $0.valueHandle == characteristic.valueHandle }) else { return }
        characteristics.append(characteristic)
    }

    mutating func add(_ descriptor: GATTDescriptor) {
        guard !descriptors.contains(where: { $0.handle == descriptor.handle }) else { return }
        descriptors.append(descriptor)
    }
}
