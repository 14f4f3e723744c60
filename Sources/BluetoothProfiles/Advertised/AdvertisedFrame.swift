import BluetoothModel

/// The part of an advertisement that carries the values of a format.
public enum AdvertisedPlace: Hashable, Sendable {
    /// Manufacturer specific data of a company, without its identifier.
    case manufacturer(CompanyIdentifier)
    /// Manufacturer specific data of any company, with the company identifier in the first two bytes.
    case anyManufacturer
    /// A message of Apple: Apple's manufacturer data is a list of messages with type and length.
    case appleMessage(UInt8)
    /// Service data, without the UUID.
    case service(BluetoothUUID)

    /// Returns the pattern of frames that begin with `start`; nil if they have no constant bytes.
    func pattern(_ start: [UInt8]) -> AdvertisementPattern? {
        switch self {
        case .manufacturer(let company): AdvertisementPattern(.manufacturerSpecificData, company.octets + start)
        case .anyManufacturer where start.isEmpty: nil
        case .anyManufacturer: AdvertisementPattern(.manufacturerSpecificData, start)
        // The first message. Its fields follow its type and its length.
        case .appleMessage(let type) where start.isEmpty:
            AdvertisementPattern(.manufacturerSpecificData, CompanyIdentifier.apple.octets + [type])
        case .appleMessage: AdvertisementPattern(.manufacturerSpecificData, start, at: 4)
        case .service(let uuid): AdvertisementPattern(uuid.serviceDataType, uuid.advertisingBytes + start)
        }
    }
}

extension CompanyIdentifier {
    fileprivate var octets: [UInt8] { [UInt8(truncatingIfNeeded: rawValue), UInt8(rawValue >> 8)] }
}

/// The bytes at a place of an advertisement, and what a format may need to know about the advertisement.
public struct AdvertisedFrame: Hashable, Sendable {
    /// The place.
    public var place: AdvertisedPlace
    /// The bytes.
    public var bytes: [UInt8]
    /// The number of bytes that were cut off at the end, because the packet ended before its structure.
    public var missing = 0
    /// The advertised name of the device.
    public var name: String?
    /// The advertised services.
    public var services: [BluetoothUUID] = []
    /// The address of the device; nil if it is hidden.
    public var address: BluetoothAddress?

    /// Creates a frame.
    public init(_ place: AdvertisedPlace, _ bytes: [UInt8], name: String? = nil, address: BluetoothAddress? = nil) {
        self.place = place
        self.bytes = bytes
        self.name = name
        self.address = address
    }
}

extension AdvertisingData {
    /// The frames of the data, in the order of the structures. A structure of manufacturer data is one frame for its
    /// company and one for any company.
    package func frames(name: String?, address: BluetoothAddress?) -> [AdvertisedFrame] {
        var result: [AdvertisedFrame] = []
        forEachStructure { type, data in Self.add(type, data, missing: 0, to: &result) }
        let tail = malformedTail
        if tail.count >= 2 {
            tail.withByteView { view in
                let missing = Int(view[0]) + 1 - view.count
                Self.add(ADType(rawValue: view[1]), view.dropFirst(2), missing: missing, to: &result)
            }
        }
        guard !result.isEmpty else { return [] }
        let (name, services) = (localName ?? name, serviceUUIDs)
        for index in result.indices {
            result[index].name = name
            result[index].services = services
            result[index].address = address
        }
        return result
    }

    private static func add(_ type: ADType, _ data: ByteView, missing: Int, to frames: inout [AdvertisedFrame]) {
        func add(_ place: AdvertisedPlace, _ data: ByteView, missing: Int) {
            var frame = AdvertisedFrame(place, data.array)
            frame.missing = missing
            frames.append(frame)
        }
        let uuidLength = type.serviceDataUUIDLength
        if let uuidLength, let uuid = BluetoothUUID(littleEndian: data.prefix(uuidLength)) {
            return add(.service(uuid), data.dropFirst(uuidLength), missing: missing)
        }
        guard type == .manufacturerSpecificData, data.count >= 2 else { return }
        let company = CompanyIdentifier(rawValue: data.uint16(at: 0))
        add(.anyManufacturer, data, missing: missing)
        add(.manufacturer(company), data.dropFirst(2), missing: missing)
        guard company == .apple else { return }
        var rest = data.dropFirst(2)
        // A byte alone is not a message: some iBeacons have one for the battery.
        while rest.count >= 2 {
            let (type, length) = (rest[0], Int(rest[1]))
            rest = rest.dropFirst(2)
            add(.appleMessage(type), rest.prefix(length), missing: max(0, length - rest.count))
            rest = rest.dropFirst(min(length, rest.count))
        }
    }
}
