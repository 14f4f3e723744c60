import BluetoothModel
import BluetoothRuntime

@testable import BluetoothHost

/// A link that records the data sent over its attribute channel.
final class VectorLink: LinkTransmitter {
    let handle: UInt16 = 0x0040
    let role: LinkRole
    let hostTime = HostTime()
    let hasRoom = true
    var security = LinkSecurity()
    private var sent: [[UInt8]] = []

    init(role: LinkRole) { self.role = role }

    func send(cid: UInt16, _ payload: ByteView) {
        if cid == L2CAPChannelID.attribute { sent.append(payload.array) }
    }

    func disconnect(reason: HCIStatus) {}

    func connectionParametersRequested(_ request: ConnectionParametersRequest) -> Bool { true }

    /// The packets since the last question.
    func take() -> [[UInt8]] {
        defer { sent = [] }
        return sent
    }
}

/// Signs with one key, and counts from 0.
final class VectorSigner: AttributeSigner {
    private let key: SecurityKey?
    private var counter: UInt32 = 0

    /// - Parameter key: least significant octet first.
    init(key: [UInt8]) { self.key = SecurityKey(littleEndian: key) }

    func sign(_ packet: [UInt8]) -> [UInt8]? {
        defer { counter += 1 }
        return key.map { AttributeSignature.make($0, message: packet, counter: counter) }
    }

    func verify(_ packet: [UInt8], signature: [UInt8]) -> Bool { false }
}
