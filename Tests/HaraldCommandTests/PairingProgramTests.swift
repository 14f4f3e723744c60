#if os(Linux)
import BluetoothTransport
import Foundation
import Harald
import Testing

@testable import HaraldCommand

/// A device's user that never answers.
private struct SilentUser: PairingDelegate {
    func pairing(with peripheral: PeripheralID, asks question: PairingQuestion) async -> PairingAnswer {
        let (never, continuation) = AsyncStream<Void>.makeStream()
        for await _ in never {}
        withExtendedLifetime(continuation) {}
        return .refuse
    }
}

/// `harald pair` and `harald bonds`, and questions without a user to ask.
@Suite(.serialized, .timeLimit(.minutes(2))) final class PairingProgramTests {
    private let runtime: URL

    init() throws {
        runtime = FileManager.default.temporaryDirectory.appendingPathComponent("harald-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: runtime, withIntermediateDirectories: true)
        let device = """
            name: Lock
            passkey: 123456
            services:
              - uuid: FFE0
                characteristics:
                  - {uuid: FFE1, properties: [read], value: {u8: 1}, security: encrypted}
                  - {uuid: FFE2, properties: [read], value: {u8: 2}, security: authenticated}
            """
        try Data(device.utf8).write(to: runtime.appendingPathComponent("lock.yaml"))
        try FileManager.default.createDirectory(
            at: runtime.appendingPathComponent("store"), withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: runtime) }

    private var store: String { runtime.appendingPathComponent("store").path }

    private func run(_ arguments: String) async throws -> (status: Int32, lines: [String], errors: String) {
        try await ProgramProcess.run(arguments, runtime: runtime)
    }

    private func onLock(_ arguments: String) async throws -> (status: Int32, lines: [String], errors: String) {
        try await run("\(arguments) --adapter virtual:\(runtime.appendingPathComponent("lock.yaml").path)")
    }

    private func object(_ line: String?) throws -> [String: Any] {
        let line = try #require(line)
        return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test func bondsAreCreatedListedAndForgotten() async throws {
        let empty = try await run("bonds --store \(store)")
        #expect(empty.status == 0 && empty.lines.isEmpty && empty.errors.contains("harald pair"))
        let paired = try await onLock("pair lock --passkey 123456 --json --store \(store)")
        #expect(paired.status == 0, "\(paired.errors)")
        let result = try object(paired.lines.first)
        #expect(result["security"] as? String == "secureConnections" && result["bonded"] as? Bool == true)
        let list = try await run("bonds list --json --store \(store)")
        let bond = try object(list.lines.first)
        #expect(bond["name"] as? String == "Lock" && bond["id"] as? String == result["id"] as? String)
        #expect(Set(bond.keys) == ["id", "name", "address", "security", "keySize", "localAddress"])
        let text = try await run("bonds --store \(store)")
        #expect(text.lines.count == 2 && text.lines.last?.contains("authenticated") == true)
        #expect(try await run("bonds forget nobody --store \(store)").status == 66)
        #expect(try await run("bonds forget --store \(store)").status == 64)
        let forgot = try await run("bonds forget lock --store \(store)")
        #expect(forgot.status == 0 && forgot.lines.first?.contains("deleted the bond with 'Lock'") == true)
        #expect(try await run("bonds list --json --store \(store)").lines.isEmpty)
    }

    @Test(arguments: ["virtual:default", "tcp:127.0.0.1:1", "virtual:"])
    func damagedBondsFailOnEveryAdapter(_ adapter: String) async throws {
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
        try Data("{".utf8).write(to: URL(fileURLWithPath: store + "/bonds.json"))
        for command in ["read polar 180F/2A19", "scan --timeout 1", "simulate polar-h7 --for 1"]
        where !(command.hasPrefix("simulate") && adapter == "virtual:default") {
            let failed = try await run("\(command) --adapter \(adapter) --store \(store)")
            #expect(failed.status == 1 && failed.lines.isEmpty, "\(command): \(failed)")
            #expect(
                failed.errors.contains(store + "/bonds.json") && failed.errors.contains("bonds forget --all"),
                "\(failed.errors)")
        }
        #expect(try await run("bonds --store \(store)").status == 1)
        let repaired = try await run("bonds forget --all --store \(store)")
        #expect(repaired.status == 0 && repaired.lines.isEmpty, "\(repaired)")
        #expect(repaired.errors.contains(store + "/bonds.json"), "\(repaired.errors)")
        #expect(try await run("bonds list --store \(store)").status == 0)
    }

    @Test(arguments: ["tree lock --values", "read lock FFE0/FFE1", "pair lock"])
    func aPeerThatDoesNotRespondInPairingTimesOut(_ command: String) async throws {
        let (air, addresses) = try await OfferedAir.open([.tcp(host: "127.0.0.1", port: 0)]) { _ in }
        let device = try await LocalPeripheral(
            adapter: air.radio.adapter(named: "lock"), name: "Lock", pairing: SilentUser())
        try await device.publish(
            ServiceDefinition(
                "FFE0",
                [
                    CharacteristicDefinition(
                        "FFE1", .read, value: [1], permissions: [.readable, .readEncryptionRequired])
                ]))
        try await device.advertise()
        let address = try #require(addresses.first)
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: store) }
        let start = ContinuousClock.now
        let end = try await run("\(command) --yes --timeout 3 --adapter \(address) --store \(store)")
        #expect(end.status == 75, "\(end)")
        #expect(end.errors.split(separator: "\n").count == 1, "\(end.errors)")
        // The limit is below the 30 s timeout of the protocol; the command itself needs less than 4 s on an idle
        // machine.
        #expect(ContinuousClock.now - start < .seconds(12), "\(end)")
        await device.close()
        await air.close()
    }

    @Test func protectedValuesAreReadWithThePasskey() async throws {
        let read = try await onLock("read lock FFE0/FFE2 --passkey 123456 --json")
        #expect(read.status == 0, "\(read.errors)")
        #expect(try object(read.lines.first)["hex"] as? String == "02")
        let wrong = try await onLock("read lock FFE0/FFE2 --passkey 654321")
        #expect(wrong.status == 1 && wrong.errors.contains("confirm values"), "\(wrong.errors)")
    }

    @Test func pairingIsRefusedWithoutATerminal() async throws {
        let asked = try await onLock("read lock FFE0/FFE1")
        #expect(asked.status == 1 && asked.errors.contains("--passkey"), "\(asked.errors)")
        #expect(asked.errors.contains("'Lock'"), "\(asked.errors)")
        let refused = try await onLock("pair lock --refuse")
        #expect(refused.status == 1 && refused.errors.contains("refused"), "\(refused.errors)")
        #expect(try await onLock("pair lock --yes --refuse").status == 64)
        for wrong in ["12345678", "12345", "12345x", "-12345"] {
            for command in ["pair lock", "read lock FFE0/FFE1", "simulate heart-rate"] {
                let usage = try await run("\(command) --passkey=\(wrong)")
                #expect(usage.status == 64 && usage.errors.contains("six digits"), "\(usage.errors)")
            }
        }
    }

    @Test func pairingIsRefusedIfKeysCannotBeStored() async throws {
        // A directory in place of the file of bonds, which fails regardless of permissions.
        try FileManager.default.createDirectory(atPath: store + "/bonds.json.new", withIntermediateDirectories: true)
        let pair = try await onLock("pair lock --passkey 123456 --json --store \(store)")
        #expect(pair.status == 1 && pair.lines.isEmpty && pair.errors.contains(store), "\(pair.errors)")
        #expect(pair.errors.contains("nothing is paired"), "\(pair.errors)")
        // Without a store the program reports that no bond is kept.
        let gone = try await onLock("pair lock --passkey 123456 --json")
        #expect(gone.status == 0 && gone.errors.contains("--store"), "\(gone.errors)")
        #expect(try object(gone.lines.first)["bonded"] as? Bool == false)
    }

    /// Through a socket that is not declared as an air, with a separate controller for each command.
    @Test func aWeakBondIsRaisedAndNeverLowered() async throws {
        let scene = "devices:\n  - file: lock.yaml\n"
        let path = runtime.appendingPathComponent("scene.yaml")
        try Data(scene.utf8).write(to: path)
        let air = try ProgramProcess("air \(path.path) --listen tcp:127.0.0.1:0 --json", runtime: runtime)
        defer { air.signal(SIGKILL) }
        var events = air.lines.makeAsyncIterator()
        let offered = try object(await events.next())["addresses"] as? [String]
        let address = try #require(offered?.first { $0.hasPrefix("tcp:") })
        func pair(_ options: String) async throws -> [String: Any] {
            let pair = try await run("pair lock \(options) --json --adapter \(address) --store \(store)")
            #expect(pair.status == 0, "\(pair.errors)")
            return try object(pair.lines.first)
        }
        #expect(try await pair("--yes")["security"] as? String == "encrypted")
        #expect(try await pair("--refuse")["security"] as? String == "encrypted")
        #expect(try await pair("--passkey 123456")["security"] as? String == "secureConnections")
        let again = try await pair("--yes")
        #expect(again["security"] as? String == "secureConnections" && again["bonded"] as? Bool == true)
        let read = try await run("read lock FFE0/FFE2 --refuse --adapter \(address) --store \(store)")
        #expect(read.status == 0, "\(read.errors)")
        #expect(try await run("bonds --json --store \(store)").lines.count == 1)
        air.signal(SIGTERM)
        _ = await air.end
    }

    @Test func theErrorOfABondsFileHasItsCauseAndARemedy() async throws {
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
        try Data(#"{"version": 9}"#.utf8).write(to: URL(fileURLWithPath: store + "/bonds.json"))
        let list = try await run("bonds --store \(store)")
        #expect(list.status == 1 && list.errors.contains("version 9"), "\(list.errors)")
        // Without the store the command would forget the bonds of another one.
        #expect(list.errors.contains("'harald bonds forget --all --store \(store)'"), "\(list.errors)")
    }

    @Test func aSimulatedDeviceShowsItsPasskey() async throws {
        let path = runtime.appendingPathComponent("lock.yaml").path
        let simulate = try ProgramProcess("simulate \(path) --io display --passkey 777777 --json", runtime: runtime)
        defer { simulate.signal(SIGKILL) }
        var events = simulate.lines.makeAsyncIterator()
        #expect(await events.next()?.contains("offered") == true)
        let pair = try await run("pair lock --passkey 777777 --adapter virtual:")
        #expect(pair.status == 0, "\(pair.errors)")
        while let event = await events.next() {
            if event.contains("encrypted and authenticated") { break }
        }
        simulate.signal(SIGTERM)
        #expect(await simulate.end.errors.contains("777777"))
    }

    /// Each command is a process, with its own controller on the air.
    @Test func aBondIsValidInTheNextProcess() async throws {
        let path = runtime.appendingPathComponent("lock.yaml").path
        let simulate = try ProgramProcess("simulate \(path) --io none --oob --json", runtime: runtime)
        defer { simulate.signal(SIGKILL) }
        var data: String?
        for await event in simulate.lines {
            let what = try object(event)["what"] as? String
            guard let what, what.hasPrefix("out-of-band data ") else { continue }
            data = what.split(separator: " ").last.map(String.init)
            break
        }
        let digits = try #require(data)
        #expect(try await run("pair lock --oob \(digits)0 --adapter virtual:").status == 64)
        let pair = try await run("pair lock --oob \(digits) --refuse --json --adapter virtual: --store \(store)")
        #expect(pair.status == 0, "\(pair.errors)")
        #expect(try object(pair.lines.first)["security"] as? String == "secureConnections")
        // The key is sufficient: there is no user to ask, and the answer would be a refusal.
        let read = try await run("read lock FFE0/FFE2 --refuse --json --adapter virtual: --store \(store)")
        #expect(read.status == 0, "\(read.errors)")
        #expect(try object(read.lines.first)["hex"] as? String == "02")
        // A program without the store is unknown to the device.
        #expect(try await run("read lock FFE0/FFE2 --refuse --adapter virtual:").status == 1)
        simulate.signal(SIGTERM)
        _ = await simulate.end
    }

    @Test func aCaptureHasKeysOnlyIfRequested() async throws {
        for (option, isSecret) in [("", false), (" --capture-keys", true)] {
            let file = runtime.appendingPathComponent("pairing.btsnoop")
            let pair = try await onLock("pair lock --passkey 123456 --store \(store) --capture \(file.path)\(option)")
            #expect(pair.status == 0, "\(pair.errors)")
            let bonds = try Data(contentsOf: URL(fileURLWithPath: store + "/bonds.json"))
            let content = try #require(try JSONSerialization.jsonObject(with: bonds) as? [String: Any])
            let bond = try #require((content["bonds"] as? [[String: Any]])?.first)
            let text = try #require((bond["peerKey"] as? [String: Any])?["key"] as? String)
            var key = Data()
            for start in stride(from: 0, to: 32, by: 2) {
                let digits = text.dropFirst(start).prefix(2)
                key.insert(try #require(UInt8(digits, radix: 16)), at: 0)
            }
            let capture = try Data(contentsOf: file)
            #expect(capture.count > 1000 && (capture.range(of: key) != nil) == isSecret)
            let permissions = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(!isSecret || permissions == 0o600)
            #expect(try await run("bonds forget --all --store \(store)").status == 0)
        }
        #expect(try await onLock("pair lock --capture-keys").status == 64)
    }
}
#endif
