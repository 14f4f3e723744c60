import Foundation
import Harald
import TestSupport
import Testing
import VirtualTransport

/// A user of one device that answers as a test specifies, and the received questions.
final class PairingUser: PairingDelegate {
    let capability: PairingCapability
    let passkey: UInt32?
    let questions = Locked<[PairingQuestion]>([])
    /// The devices whose bond should be replaced.
    let replaced = Locked<[PeripheralID]>([])
    private let replacesBonds: Bool
    private let answer: @Sendable (PairingQuestion) async -> PairingAnswer

    /// - Parameter answer: by default accepts everything but a passkey, which is unknown.
    init(
        _ capability: PairingCapability = .keyboardDisplay, passkey: UInt32? = nil, replacesBonds: Bool = false,
        answer: @escaping @Sendable (PairingQuestion) async -> PairingAnswer = { _ in .accept }
    ) {
        self.capability = capability
        self.passkey = passkey
        self.replacesBonds = replacesBonds
        self.answer = answer
    }

    func replacesBond(with peripheral: PeripheralID) async -> Bool {
        replaced.with { $0.append(peripheral) }
        return replacesBonds
    }

    func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer {
        questions.with { $0.append(question) }
        return await answer(question)
    }
}

/// A central and a device with protected values on one virtual air; both can be closed and opened again.
final class PairingRig {
    static let service: BluetoothUUID = "FFE0", open: BluetoothUUID = "FFE1", encrypted: BluetoothUUID = "FFE2",
        authenticated: BluetoothUUID = "FFE3", sending: BluetoothUUID = "FFE4", longKey: BluetoothUUID = "FFE5"

    let radio = VirtualRadio()
    let directory: URL?
    private(set) var central: Central
    private(set) var device: LocalPeripheral
    private(set) var published: PublishedService
    private let centralAdapter: Adapter
    private let deviceAdapter: Adapter

    private func options(_ name: String) -> AdapterOptions { Self.options(directory, name) }

    private static func options(_ directory: URL?, _ name: String) -> AdapterOptions {
        AdapterOptions(storage: directory.map { .directory($0.appendingPathComponent(name).path) } ?? .none)
    }

    init(
        central centralUser: (any PairingDelegate)? = nil, device deviceUser: (any PairingDelegate)? = .justWorks,
        requiredSecurity: LinkSecurity.Level = .none, keepsBonds: Bool = false
    ) async throws {
        directory =
            keepsBonds
            ? FileManager.default.temporaryDirectory
                .appendingPathComponent("harald-pairing-\(UUID().uuidString.prefix(8))") : nil
        centralAdapter = radio.adapter(
            named: "central", configuration: .init(address: BluetoothAddress("C0:00:00:00:00:01")))
        deviceAdapter = radio.adapter(
            named: "device", configuration: .init(address: BluetoothAddress("C0:00:00:00:00:02")))
        central = try await Central(
            adapter: centralAdapter, pairing: centralUser, options: Self.options(directory, "central"))
        (device, published) = try await Self.makeDevice(
            deviceAdapter, deviceUser, requiredSecurity, Self.options(directory, "device"))
        try closeAtEnd()
    }

    private func closeAtEnd() throws {
        try ClosesRigs.atEnd { [central, device] in
            await central.close()
            await device.close()
        }
    }

    deinit {
        if let directory { try? FileManager.default.removeItem(at: directory) }
    }

    private static func makeDevice(
        _ adapter: Adapter, _ user: (any PairingDelegate)?, _ required: LinkSecurity.Level, _ options: AdapterOptions
    ) async throws -> (LocalPeripheral, PublishedService) {
        let device = try await LocalPeripheral(
            adapter: adapter, name: "Lock", pairing: user, requiredSecurity: required, options: options)
        var longKey = CharacteristicDefinition(Self.longKey, .read, value: [5])
        longKey.minimumKeySize = 16
        let published = try await device.publish(
            ServiceDefinition(
                Self.service,
                [
                    CharacteristicDefinition(open, .read, value: [1]),
                    CharacteristicDefinition(
                        encrypted, [.read, .write], value: [2],
                        permissions: [.readable, .writeable, .readEncryptionRequired, .writeEncryptionRequired]),
                    CharacteristicDefinition(
                        authenticated, .read, value: [3], permissions: [.readable, .readAuthenticationRequired]),
                    CharacteristicDefinition(sending, [.notify, .notifyEncryptionRequired]), longKey,
                ]))
        try await device.advertise()
        return (device, published)
    }

    /// The device, connected, with everything discovered.
    func connected() async throws -> Peripheral {
        let address = try #require(await device.address)
        let peripheral = try #require(await central.peripheral(address: address))
        try await peripheral.connect()
        return peripheral
    }

    func read(_ uuid: BluetoothUUID, _ peripheral: Peripheral) async throws -> [UInt8] {
        try await characteristic(uuid, peripheral).read()
    }

    func characteristic(_ uuid: BluetoothUUID, _ peripheral: Peripheral) async throws -> Characteristic {
        try await peripheral.characteristic(AttributeKey(Self.service), AttributeKey(uuid))
    }

    /// Closes one end or both and opens them again with their stored data.
    func reopen(
        central user: (any PairingDelegate)?? = .none, device deviceUser: (any PairingDelegate)?? = .none
    ) async throws {
        if user != nil { await central.close() }
        if deviceUser != nil { await device.close() }
        if let user { central = try await Central(adapter: centralAdapter, pairing: user, options: options("central")) }
        if let deviceUser {
            (device, published) = try await Self.makeDevice(deviceAdapter, deviceUser, .none, options("device"))
        }
        try closeAtEnd()
    }
}
