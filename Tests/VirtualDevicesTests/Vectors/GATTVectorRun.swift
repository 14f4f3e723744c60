import BluetoothModel
import BluetoothRuntime

@testable import BluetoothHost
@testable import VirtualDevices

/// Runs one vector: the stack on one side, the packets of the vector on the other.
final class GATTVectorRun {
    private let vector: GATTVectorFile.Vector
    private let fake: VectorLink
    private let link: L2CAPLink
    private let server: GATTServer
    /// Keeps the signer, which the link holds weakly.
    private var signer: VectorSigner?
    /// The difference to the vector; nil while there is none.
    private(set) var difference: String?

    init(_ vector: GATTVectorFile.Vector, database: DeviceFile?) throws {
        self.vector = vector
        fake = VectorLink(role: vector.side == .server ? .peripheral : .central)
        server = GATTServer()
        if let database, vector.side == .server {
            _ = try server.replaceDatabase(database.localServices, addsGenericServices: database.addsGenericServices)
        }
        link = L2CAPLink(
            transmitter: fake, server: server, configuration: L2CAPLinkConfiguration(attMTU: 512))
    }

    private var client: GATTClient { link.gatt }
    private var step: GATTVectorFile.Step { vector.step ?? GATTVectorFile.Step() }

    func run() {
        switch vector.side {
        case .server:
            if vector.function == "test_hash_db" {
                if server.databaseHash.count != 16 { differ("no hash") }
                return
            }
            // The client asks for the smallest MTU.
            receive([0x02, 0x17, 0x00])
        case .client: discoverEverything()
        case .att: client.exchangeMTU { [self] _ in search() }
        }
        follow()
    }

    // MARK: Packets

    private func receive(_ packet: [UInt8]) { packet.withByteView { link.receive(cid: L2CAPChannelID.attribute, $0) } }

    private func differ(_ text: String) { difference = difference ?? text }

    /// Follows the vector: the first packet and each one after a received one is the stack's; after an empty one the
    /// other side continues, or the server has to send a value.
    private func follow() {
        var rest = vector.packets[...]
        while let expected = rest.popFirst(), difference == nil {
            let sent = fake.take()
            guard sent == [expected] else {
                return differ("expected \(hex(expected)), but sent \(sent.map(hex).joined(separator: ", "))")
            }
            if rest.first == [] {
                rest.removeFirst()
                sendValue()
                continue
            }
            while let next = rest.popFirst() {
                receive(next)
                guard rest.first == [] else { break }
                rest.removeFirst()
                let sent = fake.take()
                if !sent.isEmpty {
                    return differ("expected nothing, but sent \(sent.map(hex).joined(separator: ", "))")
                }
            }
        }
        let left = fake.take()
        if !left.isEmpty { differ("sent more: \(left.map(hex).joined(separator: ", "))") }
    }

    private func hex(_ bytes: [UInt8]) -> String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

    private func sendValue() {
        let kind: SubscriptionKind = step.function == "test_server_indication" ? .indications : .notifications
        server.send(step.value, for: UInt16(step.handle), kind: kind) { [self] result in
            if case .failure(let error) = result { differ("sending ended with \(error)") }
        }
    }

    // MARK: Searches

    private func search() {
        let uuid = vector.uuid.flatMap { $0.withByteView { BluetoothUUID(littleEndian: $0) } }
        func service(_ range: ClosedRange<UInt16>) -> GATTService { GATTService(uuid: "1800", range: range) }
        switch vector.function {
        case "test_search_primary": client.discoverServices(uuid.map { [$0] }) { [self] in succeeded($0) }
        case "test_search_included":
            client.discoverIncludedServices(of: service(1...0xFFFF)) { [self] in succeeded($0) }
        case "test_search_chars":
            client.discoverCharacteristics(of: service(0x10...0x20)) { [self] in succeeded($0) }
        case "test_search_descs":
            let characteristic = GATTCharacteristic(
                uuid: "2A00", declarationHandle: 0x11, valueHandle: 0x12, endHandle: 0x16, properties: .read)
            client.discoverDescriptors(of: characteristic) { [self] in succeeded($0) }
        case "test_read_by_type":
            guard let uuid else { return differ("no UUID") }
            client.readValues(of: uuid, in: UInt16(step.handle)...UInt16(step.endHandle)) { [self] result in
                // A list that ends with "not found" is whole.
                ended(result.map { $0.first?.value ?? [] }, notFoundIsTheEnd: true)
            }
        default: differ("unknown function \(vector.function)")
        }
    }

    private func succeeded<Value>(_ result: Result<Value, RadioError>) {
        if case .failure(let error) = result { differ("ended with \(error)") }
    }

    private func ended(_ result: Result<[UInt8], RadioError>, notFoundIsTheEnd: Bool = false) {
        switch result {
        case .success(let value):
            let isEnd = notFoundIsTheEnd && step.errorCode == Int(ATTErrorCode.attributeNotFound.rawValue)
            if step.errorCode != 0, !isEnd { differ("succeeded; expected error \(step.errorCode)") }
            if value != step.value { differ("ended with \(hex(value))") }
        case .failure(.att(let code, _)):
            if Int(code.rawValue) != step.errorCode { differ("ended with \(code)") }
        case .failure(let error): differ("ended with \(error)")
        }
    }

    // MARK: Everything, step by step

    private func discoverEverything() {
        client.exchangeMTU { [self] _ in
            client.readValues(of: "2B3A") { [self] _ in discoverServices() }
        }
    }

    private func discoverServices() {
        client.discoverServices { [self] result in
            let primary = (try? result.get()) ?? []
            client.discoverSecondaryServices { [self] result in
                let services = (primary + ((try? result.get()) ?? [])).sorted { $0.handle < $1.handle }
                guard let first = services.first, let last = services.map(\.range.upperBound).max() else { return }
                let whole = GATTService(uuid: "1800", range: first.handle...last)
                client.discoverIncludedServices(of: whole) { [self] _ in
                    client.discoverCharacteristics(of: whole) { [self] result in
                        discoverDescriptors(of: ((try? result.get()) ?? [])[...], in: services, found: [])
                    }
                }
            }
        }
    }

    private func discoverDescriptors(
        of rest: ArraySlice<GATTCharacteristic>, in services: [GATTService],
        found: [(GATTCharacteristic, [GATTDescriptor])]
    ) {
        guard var next = rest.first else { return performStep(found) }
        if let service = services.first(where: { $0.range.contains(next.declarationHandle) }) {
            next.endHandle = min(next.endHandle, service.range.upperBound)
        }
        client.discoverDescriptors(of: next) { [self] result in
            let descriptors = (try? result.get()) ?? []
            let found = found + [(next, descriptors)]
            let goOn = { [self] in discoverDescriptors(of: rest.dropFirst(), in: services, found: found) }
            guard let extended = descriptors.first(where: { $0.uuid == "2900" }) else { return goOn() }
            client.read(extended.handle) { _ in goOn() }
        }
    }

    /// Performs the operation of the vector.
    private func performStep(_ found: [(GATTCharacteristic, [GATTDescriptor])]) {
        guard vector.step != nil else { return }
        if step.errorCode == 0 { client.onSecurityDemand = { _, _, completion in completion(.success(())) } }
        let (handle, value) = (UInt16(step.handle), step.value)
        let written: (Result<Void, RadioError>) -> Void = { [self] in ended($0.map { step.value }) }
        switch step.function {
        case "test_read", "test_long_read": client.read(handle) { [self] in ended($0.map(\.array)) }
        case "test_multiple_read":
            client.readMultiple([handle, UInt16(step.endHandle)], variableLength: false) { [self] in
                ended($0.map { $0.flatMap { $0 } })
            }
        case "test_write": client.write(handle, value, completion: written)
        case "test_long_write", "test_reliable_write":
            client.writeReliably([(handle, value)], completion: written)
        case "test_write_without_response": client.writeCommand(handle, value, completion: written)
        case "test_signed_write", "test_signed_write_seclevel":
            signer = VectorSigner(key: Self.signingKey)
            link.att.signer = signer
            if step.function.hasSuffix("seclevel") {
                fake.security = LinkSecurity(level: .encrypted, keySize: 16, isBonded: true)
            }
            client.signedWrite(handle, value, completion: written)
        case "test_notification", "test_indication":
            guard let (characteristic, _) = found.first(where: { $0.0.valueHandle == handle }) else {
                return differ("no characteristic at \(handle)")
            }
            client.onValue = { [self] received, _ in
                if received.array != value { differ("received \(received.array)") }
                return true
            }
            client.configure(
                characteristic, step.function == "test_indication" ? .indications : .notifications,
                completion: { [self] in succeeded($0) })
        default: differ("unknown step \(step.function)")
        }
    }

    /// The key of the signed vectors, which stands in a function of the file, least significant octet
    /// first (Core 6.0, Vol 3, Part H, 2.4.5).
    private static let signingKey: [UInt8] = [
        0xD8, 0x51, 0x59, 0x48, 0x45, 0x1F, 0xEA, 0x32, 0x0D, 0xC0, 0x5A, 0x2E, 0x88, 0x30, 0x81, 0x88,
    ]
}
