import BluetoothHCI
import BluetoothModel

/// The advertising event properties of a set (Core 6.0, Vol 4, Part E, 7.8.53).
struct AdvertisingProperties: OptionSet {
    var rawValue: UInt16

    static let connectable = AdvertisingProperties(rawValue: 1)
    static let scannable = AdvertisingProperties(rawValue: 2)
    static let directed = AdvertisingProperties(rawValue: 4)
    static let highDutyCycle = AdvertisingProperties(rawValue: 8)
    static let legacy = AdvertisingProperties(rawValue: 16)
    static let anonymous = AdvertisingProperties(rawValue: 32)
    static let includesTxPower = AdvertisingProperties(rawValue: 64)

    /// The properties of an advertising type of the legacy command; nil for reserved values.
    init?(legacyType: UInt8) {
        let values: [UInt16] = [0x13, 0x1D, 0x12, 0x10, 0x15]
        guard legacyType < values.count else { return nil }
        self.init(rawValue: values[Int(legacyType)])
    }

    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// True for a combination that the specification allows.
    var isValid: Bool {
        guard rawValue & 0xFF80 == 0 else { return false }
        if contains(.legacy) { return [0x13, 0x1D, 0x12, 0x10, 0x15].contains(rawValue) }
        if contains(.highDutyCycle) || isSuperset(of: [.connectable, .scannable]) { return false }
        if contains(.anonymous) { return isDisjoint(with: [.connectable, .scannable]) }
        return true
    }

    /// True for sets whose first packet carries advertising data.
    var takesData: Bool { contains(.legacy) ? !contains(.directed) : !contains(.scannable) }
    /// True for sets that respond to scan requests.
    var takesScanResponse: Bool { contains(.scannable) }
}

/// The advertising parameters of a set (Core 6.0, Vol 4, Part E, 7.8.5 and 7.8.53).
struct ControllerAdvertisingParameters {
    /// The advertising filter policy. Bit 0 restricts scan requests to the accept list, bit 1 connection requests.
    struct FilterPolicy: OptionSet {
        var rawValue: UInt8
        static let scanFromAcceptList = FilterPolicy(rawValue: 1)
        static let connectFromAcceptList = FilterPolicy(rawValue: 2)
    }

    var properties: AdvertisingProperties
    /// The advertising interval, in units of 0.625 ms.
    var interval: UInt32
    /// 0 public, 1 random, 2 and 3 resolvable private if the resolving list contains the peer, else as 0 and 1.
    var ownAddressType: UInt8
    /// The peer of directed advertising; nil for undirected advertising.
    var peer: BluetoothAddress?
    /// The peer whose entry in the resolving list supplies the key for private addresses.
    var privacyPeer: BluetoothAddress?
    var filterPolicy: FilterPolicy
    var txPower: Int8
    var primaryPHY = PHY.le1M
    var secondaryPHY = PHY.le1M
    var sid: UInt8 = 0
    var reportsScanRequests = false

    /// The result of reading parameters: the parameters, or the status that refuses them.
    enum Reading {
        case valid(ControllerAdvertisingParameters)
        case refused(HCIStatus)
    }

    var usesRandomAddress: Bool { ownAddressType & 1 == 1 }

    /// The default parameters of the legacy advertising commands.
    static func standard(txPower: Int8) -> ControllerAdvertisingParameters {
        ControllerAdvertisingParameters(
            properties: [.connectable, .scannable, .legacy], interval: 0x800, ownAddressType: 0, peer: nil,
            filterPolicy: [], txPower: txPower)
    }

    /// Reads the parameters of LE Set Advertising Parameters; nil if they are invalid.
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

    /// Reads the parameters of LE Set Extended Advertising Parameters that follow the handle; nil if they are invalid.
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
        var result = ControllerAdvertisingParameters(
            properties: properties, interval: minimum, ownAddressType: own, peer: nil,
            filterPolicy: FilterPolicy(rawValue: policy),
            txPower: power == 127 ? configuration.txPower : min(power, configuration.txPower))
        result.sid = sid
        result.reportsScanRequests = notifies == 1
        result.setPeer(BluetoothAddress(littleEndian: address, kind: peerType == 0 ? .public : .random))
        if properties.contains(.legacy) {
            // For legacy PDUs the secondary PHY has no meaning and may hold any value.
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

    /// Stores the peer address for directed advertising and for private addresses; other parameters ignore it.
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
    /// The bit of this PHY in a bit field of PHYs.
    var bit: UInt8 { 1 << (rawValue - 1) }
}
