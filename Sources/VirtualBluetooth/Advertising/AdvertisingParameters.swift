import BluetoothHCI
import BluetoothModel

/// What kind of advertising a set does (Core 6.0, Vol 4, Part E, 7.8.53).
struct AdvertisingProperties: OptionSet {
    var rawValue: UInt16

    static let connectable = AdvertisingProperties(rawValue: 1)
    static let scannable = AdvertisingProperties(rawValue: 2)
    static let directed = AdvertisingProperties(rawValue: 4)
    static let highDutyCycle = AdvertisingProperties(rawValue: 8)
    static let legacy = AdvertisingProperties(rawValue: 16)
    static let anonymous = AdvertisingProperties(rawValue: 32)
    static let includesTxPower = AdvertisingProperties(rawValue: 64)

    /// The advertising types of the legacy command by their number; nil for numbers without a meaning.
    init?(legacyType: UInt8) {
        let values: [UInt16] = [0x13, 0x1D, 0x12, 0x10, 0x15]
        guard legacyType < values.count else { return nil }
        self.init(rawValue: values[Int(legacyType)])
    }

    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Whether the specification allows the combination.
    var isValid: Bool {
        guard rawValue & 0xFF80 == 0 else { return false }
        if contains(.legacy) { return [0x13, 0x1D, 0x12, 0x10, 0x15].contains(rawValue) }
        if contains(.highDutyCycle) || isSuperset(of: [.connectable, .scannable]) { return false }
        if contains(.anonymous) { return isDisjoint(with: [.connectable, .scannable]) }
        return true
    }

    /// Whether the set sends advertising data with its first packet.
    var takesData: Bool { contains(.legacy) ? !contains(.directed) : !contains(.scannable) }
    /// Whether the set answers scan requests.
    var takesScanResponse: Bool { contains(.scannable) }
}

/// How a set advertises (Core 6.0, Vol 4, Part E, 7.8.5 and 7.8.53).
struct AdvertisingParameters {
    /// Which listeners are answered: bit 0 scan requests, bit 1 connection requests from the accept list only.
    struct FilterPolicy: OptionSet {
        var rawValue: UInt8
        static let scanFromAcceptList = FilterPolicy(rawValue: 1)
        static let connectFromAcceptList = FilterPolicy(rawValue: 2)
    }

    var properties: AdvertisingProperties
    /// Between two advertising events, in units of 0.625 ms.
    var interval: UInt32
    /// 0 public, 1 random, 2 and 3 private where the resolving list knows the peer, else as 0 and 1.
    var ownAddressType: UInt8
    /// Whom directed advertising is for.
    var peer: BluetoothAddress?
    /// Which entry of the resolving list private addresses are made for.
    var privacyPeer: BluetoothAddress?
    var filterPolicy: FilterPolicy
    var txPower: Int8
    var primaryPHY = PHY.le1M
    var secondaryPHY = PHY.le1M
    var sid: UInt8 = 0
    var reportsScanRequests = false

    /// Why a host's parameters cannot be used, or the parameters.
    enum Reading {
        case valid(AdvertisingParameters)
        case refused(HCIStatus)
    }

    var usesRandomAddress: Bool { ownAddressType & 1 == 1 }

    /// What the legacy command asks for before it was given.
    static func standard(txPower: Int8) -> AdvertisingParameters {
        AdvertisingParameters(
            properties: [.connectable, .scannable, .legacy], interval: 0x800, ownAddressType: 0, peer: nil,
            filterPolicy: [], txPower: txPower)
    }

    /// Reads LE Set Advertising Parameters.
    init?(legacy reader: inout ByteReader, txPower: Int8) {
        guard let minimum = reader.uint16(), let maximum = reader.uint16(), let type = reader.uint8(),
            let own = reader.uint8(), let peerType = reader.uint8(), let address = reader.bytes(6),
            let channels = reader.uint8(), let policy = reader.uint8(),
            let properties = AdvertisingProperties(legacyType: type), own <= 3, peerType <= 1,
            channels != 0, channels <= 7, policy <= 3
        else { return nil }
        if !properties.contains(.highDutyCycle) {
            guard (0x20...0x4000).contains(minimum), minimum <= maximum, maximum <= 0x4000 else { return nil }
        }
        self.init(
            properties: properties, interval: UInt32(minimum), ownAddressType: own, peer: nil,
            filterPolicy: FilterPolicy(rawValue: policy), txPower: txPower)
        setPeer(BluetoothAddress(littleEndian: address, kind: peerType == 0 ? .public : .random))
    }

    /// Reads LE Set Extended Advertising Parameters behind the handle.
    static func extended(_ reader: inout ByteReader, configuration: VirtualControllerConfiguration) -> Reading? {
        guard let bits = reader.uint16(), let minimum = reader.uint24(), let maximum = reader.uint24(),
            let channels = reader.uint8(), let own = reader.uint8(), let peerType = reader.uint8(),
            let address = reader.bytes(6), let policy = reader.uint8(), let power = reader.int8(),
            let primary = reader.uint8().flatMap(PHY.init(rawValue:)), reader.uint8() != nil,
            let secondary = reader.uint8(), let sid = reader.uint8(), let notifies = reader.uint8()
        else { return nil }
        let properties = AdvertisingProperties(rawValue: bits)
        guard properties.isValid, properties.contains(.highDutyCycle) || minimum >= 0x20 && minimum <= maximum,
            channels != 0, channels <= 7, own <= 3, peerType <= 1, policy <= 3, power <= 20 || power == 127,
            primary != .le2M, sid <= 15, notifies <= 1
        else { return nil }
        var result = AdvertisingParameters(
            properties: properties, interval: minimum, ownAddressType: own, peer: nil,
            filterPolicy: FilterPolicy(rawValue: policy),
            txPower: power == 127 ? configuration.txPower : min(power, configuration.txPower))
        result.sid = sid
        result.reportsScanRequests = notifies == 1
        result.setPeer(BluetoothAddress(littleEndian: address, kind: peerType == 0 ? .public : .random))
        if properties.contains(.legacy) {
            // The secondary channel has no meaning then, and may hold anything.
            guard primary == .le1M else { return nil }
            return .valid(result)
        }
        guard let secondaryPHY = PHY(rawValue: secondary) else { return nil }
        let layers = configuration.features.physicalLayers
        guard layers & primary.bit != 0, layers & secondaryPHY.bit != 0 else { return .refused(.unsupportedFeature) }
        result.primaryPHY = primary
        result.secondaryPHY = secondaryPHY
        return .valid(result)
    }

    /// The peer of the command means something for directed advertising and for private addresses.
    private mutating func setPeer(_ address: BluetoothAddress?) {
        if properties.contains(.directed) { peer = address }
        if ownAddressType >= 2 { privacyPeer = address }
    }

    private init(
        properties: AdvertisingProperties, interval: UInt32, ownAddressType: UInt8, peer: BluetoothAddress?,
        filterPolicy: FilterPolicy, txPower: Int8
    ) {
        self.properties = properties
        self.interval = interval
        self.ownAddressType = ownAddressType
        self.peer = peer
        self.filterPolicy = filterPolicy
        self.txPower = txPower
    }
}

extension PHY {
    /// The bit of this physical layer in a set of them.
    var bit: UInt8 { 1 << (rawValue - 1) }
}
