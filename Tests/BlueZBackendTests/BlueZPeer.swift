import BackendConformance
import BluetoothModel
import BluetoothRuntime
import SystemBus

@testable import BlueZBackend

/// The peer of the scenarios, as objects and replies of a fake `bluetoothd`. Confined to the loop.
final class BlueZPeer {
    var isReachable = true { didSet { if isReachable { connectWaiting() } } }
    var failedEstablishments = 0
    var greeting: [UInt8]?
    private let fake: FakeBlueZ
    private let events: Events<PeerEvent>
    private var isPowered = true
    private var isConnected = false
    private var isPaired = false
    private var values: [PeerAttribute: [UInt8]] = [:]
    private var notifying: Set<PeerAttribute> = []
    /// Calls that wait for the device or its user.
    private var connecting: [BusCall] = []
    private var held: [BusCall] = []
    private var pairing: BusCall?
    private var strength: Int16 = -44

    private static let failure = BusError("org.bluez.Error.Failed", "Not connected")
    private static let notReady = BusError("org.bluez.Error.NotReady", "Not Powered")

    private static func path(of attribute: PeerAttribute) -> String {
        let digits = String(0x0B + 2 * (attribute.rawValue - PeerAttribute.plain.rawValue), radix: 16)
        return FakeBlueZ.servicePath + "/char" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    private static func attribute(at path: String) -> PeerAttribute? {
        PeerAttribute.allCases.first { Self.path(of: $0) == path }
    }

    private static func flags(of attribute: PeerAttribute) -> [String] {
        let names: [(CharacteristicProperties, String)] = [
            (.read, "read"), (.write, "write"), (.writeWithoutResponse, "write-without-response"), (.notify, "notify"),
            (.indicate, "indicate"),
        ]
        return names.filter { attribute.properties.contains($0.0) }.map(\.1)
    }

    private static func text(_ uuid: BluetoothUUID) -> BusValue {
        .string("0000\(uuid)-0000-1000-8000-00805f9b34fb".lowercased())
    }

    init(_ fake: FakeBlueZ, _ events: Events<PeerEvent>) {
        self.fake = fake
        self.events = events
        addObjects()
        fake.answers = [
            "Connect": { [unowned self] in connect($0) }, "Disconnect": { [unowned self] in disconnect($0) },
            "ReadValue": { [unowned self] in read($0) }, "WriteValue": { [unowned self] in write($0) },
            "StartNotify": { [unowned self] in startNotify($0) }, "StopNotify": { [unowned self] in stopNotify($0) },
            "Pair": { [unowned self] in pair($0) }, "CancelPairing": { [unowned self] in cancelPairing($0) },
        ]
    }

    private func addObjects() {
        for (path, uuid) in [
            (FakeBlueZ.servicePath, PeerAttribute.service),
            (FakeBlueZ.devicePath + "/service00f0", PeerAttribute.emptyService),
        ] {
            fake.add(path, BlueZ.gattService, ["UUID": Self.text(uuid), "Primary": .bool(true)])
        }
        for attribute in PeerAttribute.allCases {
            values[attribute] = attribute.value
            fake.add(
                Self.path(of: attribute), BlueZ.gattCharacteristic,
                ["UUID": Self.text(attribute.uuid), "Flags": .strings(Self.flags(of: attribute)), "MTU": .uint16(185)])
        }
        fake.add(
            FakeBlueZ.devicePath, BlueZ.device,
            [
                "Address": .string("F0:F1:F2:F3:F4:F5"), "AddressType": .string("random"), "Name": .string("Peer"),
                "Connected": .bool(false), "ServicesResolved": .bool(false), "Paired": .bool(false),
                "UUIDs": .strings([Self.text(PeerAttribute.service).text ?? ""]),
            ])
    }

    /// Stops answering.
    func stop() {
        fake.answers = [:]
        fake.bus.close()
    }

    // MARK: Connecting

    private func connect(_ call: BusCall) {
        if !isPowered {
            call.respond(.failure(Self.notReady))
        } else if failedEstablishments > 0 {
            failedEstablishments -= 1
            call.respond(.failure(FakeBlueZ.abort))
        } else if isReachable {
            establish([call])
        } else {
            connecting.append(call)
        }
    }

    private func connectWaiting() {
        let all = connecting
        connecting = []
        if !all.isEmpty { establish(all) }
    }

    private func establish(_ calls: [BusCall]) {
        isConnected = true
        events.append(.connected)
        fake.change(FakeBlueZ.devicePath, BlueZ.device, ["Connected": .bool(true)])
        for call in calls { call.respond(.success([])) }
        fake.change(FakeBlueZ.devicePath, BlueZ.device, ["ServicesResolved": .bool(true)])
    }

    /// Replies before the link ends, like `bluetoothd`.
    private func disconnect(_ call: BusCall) {
        call.respond(.success([]))
        let all = connecting
        connecting = []
        for call in all { call.respond(.failure(FakeBlueZ.abort)) }
        disconnect()
    }

    /// Ends the link, and the calls that wait for the device.
    func disconnect() {
        guard isConnected else { return }
        isConnected = false
        notifying = []
        events.append(.disconnected)
        fake.change(
            FakeBlueZ.devicePath, BlueZ.device, ["Connected": .bool(false), "ServicesResolved": .bool(false)])
        for call in held { call.respond(.failure(Self.failure)) }
        held = []
        cancelPairing(nil)
    }

    func setPowered(_ isOn: Bool) {
        isPowered = isOn
        fake.change(FakeBlueZ.adapterPath, BlueZ.adapter, ["Powered": .bool(isOn)])
        guard !isOn else { return }
        for call in connecting { call.respond(.failure(Self.notReady)) }
        connecting = []
        disconnect()
    }

    /// Reports the device with another signal strength, as each advertisement does.
    func advertise() {
        strength = strength == -44 ? -45 : -44
        fake.change(FakeBlueZ.devicePath, BlueZ.device, ["RSSI": .int16(strength)])
    }

    // MARK: Values

    private func read(_ call: BusCall) {
        switch Self.attribute(at: call.path) {
        case .held:
            held.append(call)
            events.append(.asked)
        case .refusing: call.respond(.failure(Self.refusal))
        case .secret where !isPaired:
            ask { [unowned self] isAccepted in
                isPaired = isAccepted
                call.respond(
                    isAccepted ? .success([.bytes(values[.secret] ?? [])]) : .failure(Self.notPaired))
            }
        case let attribute?: call.respond(.success([.bytes(values[attribute] ?? [])]))
        case nil: call.respond(.failure(Self.failure))
        }
    }

    private static let refusal = BusError("org.bluez.Error.Failed", "Operation failed with ATT error: 0x80")
    private static let notPaired = BusError("org.bluez.Error.NotPermitted", "Not paired")

    private func write(_ call: BusCall) {
        guard let attribute = Self.attribute(at: call.path), attribute != .refusing,
            let bytes = call.arguments.first?.bytes
        else { return call.respond(.failure(Self.refusal)) }
        values[attribute] = bytes
        events.append(.wrote(attribute, bytes))
        call.respond(.success([]))
    }

    func answerHeldReads() {
        let all = held
        held = []
        for call in all { call.respond(.success([.bytes([4])])) }
    }

    private func startNotify(_ call: BusCall) {
        guard let attribute = Self.attribute(at: call.path),
            !attribute.properties.isDisjoint(with: [.notify, .indicate])
        else { return call.respond(.failure(BusError("org.bluez.Error.NotSupported", "Operation is not supported"))) }
        notifying.insert(attribute)
        events.append(.subscribed(attribute))
        // A value may arrive before the reply.
        if attribute == .notifying, let greeting { send(greeting, on: attribute) }
        call.respond(.success([]))
    }

    private func stopNotify(_ call: BusCall) {
        call.respond(.success([]))
        guard let attribute = Self.attribute(at: call.path) else { return }
        notifying.remove(attribute)
        events.append(.unsubscribed(attribute))
    }

    func send(_ value: [UInt8], on attribute: PeerAttribute) {
        guard notifying.contains(attribute) else { return }
        fake.change(Self.path(of: attribute), BlueZ.gattCharacteristic, ["Value": .bytes(value)])
    }

    // MARK: Pairing

    private func pair(_ call: BusCall) {
        pairing = call
        ask { [unowned self] isAccepted in
            guard pairing != nil else { return }
            pairing = nil
            guard isAccepted else {
                return call.respond(
                    .failure(BusError("org.bluez.Error.AuthenticationRejected", "Authentication Rejected")))
            }
            isPaired = true
            fake.change(FakeBlueZ.devicePath, BlueZ.device, ["Paired": .bool(true)])
            call.respond(.success([]))
        }
    }

    /// Asks the program's agent to confirm a number.
    private func ask(_ completion: @escaping (Bool) -> Void) {
        guard let agent = fake.senders["RegisterAgent"] else { return completion(false) }
        fake.bus.call(
            agent, PairingAgent.path, BlueZ.agent, "RequestConfirmation",
            [.path(FakeBlueZ.devicePath), .uint32(123_456)]
        ) { completion((try? $0.get()) != nil) }
    }

    private func cancelPairing(_ call: BusCall?) {
        call?.respond(.success([]))
        guard let pairing else { return }
        self.pairing = nil
        pairing.respond(.failure(BusError("org.bluez.Error.AuthenticationCanceled", "Authentication Canceled")))
        guard let agent = fake.senders["RegisterAgent"] else { return }
        fake.bus.call(agent, PairingAgent.path, BlueZ.agent, "Cancel", []) { _ in }
    }
}
