#if os(Linux)
import Foundation
import Harald
import PeerSupport
import Testing

/// The common part of the tests of pairing with Bumble.
enum PairingVisit {
    /// The local address in every run: a bond belongs to an address, and a controller of RootCanal has another one each
    /// time.
    static let ownAddress = BluetoothAddress(value: 0xF3_00_00_00_00_01, kind: .random)
    /// Bumble's.
    static let peerAddress = BluetoothAddress(value: 0xF2_00_00_00_00_02, kind: .random)

    /// A user that only displays a passkey.
    final class Shower: PairingDelegate {
        let capability = PairingCapability.displayOnly
        private let numbers = AsyncStream<UInt32>.makeStream()

        var number: UInt32 {
            get async {
                for await number in numbers.stream { return number }
                return 0
            }
        }

        func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer {
            if case .display(let passkey) = question { numbers.continuation.yield(passkey) }
            return .accept
        }
    }

    static func find(_ central: Central) async throws -> Peripheral {
        for try await found in central.scan(filter: ScanFilter(namePrefix: "Bumble Lock"), duration: .seconds(20)) {
            return found.peripheral
        }
        throw BluetoothError(.notFound, operation: "find Bumble's lock", reason: "the scan ended")
    }

    static func connect(_ central: Central) async throws -> Peripheral {
        let lock = try await find(central)
        try await lock.connect()
        return lock
    }

    static func read(_ uuid: BluetoothUUID, _ lock: Peripheral) async throws -> [UInt8] {
        try await lock.characteristic("FFE0", AttributeKey(uuid)).read()
    }

    /// Sends Bumble a command that must end with a refusal.
    static func expectRefusal(_ command: String, _ bumble: PeerProcess) async throws {
        do {
            try await bumble.command(command)
            Issue.record("'\(command)' was not refused")
        } catch PeerError.refused {}
    }

    /// A directory for bonds, removed at the end.
    static func withDirectory<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (URL) async throws -> sending Result
    ) async throws -> sending Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "harald-peer-bonds-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await body(directory)
    }

    /// Advertises a device with protected values while the body runs.
    static func withLock<Result: Sendable>(
        _ seats: PeerAir.Seats, _ user: (any PairingDelegate)?,
        isolation: isolated (any Actor)? = #isolation, _ body: (LocalPeripheral) async throws -> Result
    ) async throws -> Result {
        let lock = try await LocalPeripheral(
            adapter: seats.ours, name: "Harald Lock", pairing: user, options: seats.options)
        do {
            try await lock.publish(
                ServiceDefinition(
                    "FFE0",
                    [
                        CharacteristicDefinition("FFE1", .read, value: [1]),
                        CharacteristicDefinition(
                            "FFE2", .read, value: [2], permissions: [.readable, .readEncryptionRequired]),
                        CharacteristicDefinition(
                            "FFE3", .read, value: [3], permissions: [.readable, .readAuthenticationRequired]),
                    ]))
            try await lock.advertise()
            let result = try await body(lock)
            await lock.close()
            return result
        } catch {
            await lock.close()
            throw error
        }
    }
}

extension PeerAir {
    /// RootCanal where it runs.
    static var bestForPairing: PeerAir { Peers.isRootCanalAvailable ? .rootCanal : .own }

    /// Seats for a pairing: with the same address in every run, and bonds in `directory`, or nowhere.
    func withPairingSeats<Result>(
        _ directory: URL? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: (Seats) async throws -> sending Result
    ) async throws -> sending Result {
        try await withSeats { seats in
            var options = seats.options
            options.address = .randomStatic(PairingVisit.ownAddress)
            if let directory { options.storage = .directory(directory.path()) }
            return try await body(Seats(ours: seats.ours, options: options, theirs: seats.theirs))
        }
    }
}
#endif
