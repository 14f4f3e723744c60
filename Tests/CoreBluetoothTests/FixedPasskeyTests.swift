import CoreBluetooth
import Synchronization
import Testing

/// A passkey of ``HaraldPairing`` that is the same in each pairing.
@Suite(.timeLimit(.minutes(2))) struct FixedPasskeyTests {
    /// Holds the function with which the program allows the passkey again.
    private final class Permission: Sendable {
        let allow = Mutex<(@Sendable () -> Void)?>(nil)
        let events = EventLog()
    }

    /// Proof of `@unchecked Sendable`: accessed on the central's queue only, and by the test after it has awaited the
    /// event.
    private final class Found: @unchecked Sendable {
        var peripheral: CBPeripheral?
    }

    /// Reads the protected value as a new central. Returns the delegate's event.
    private func read(_ bench: Bench, as name: String, with guess: UInt32) async throws -> String {
        let pairing = HaraldPairing(.keyboardOnly) { _, question, answer in
            answer(question == .enterPasskey ? .passkey(guess) : .refuse)
        }
        let recorder = CentralRecorder(queue: "central")
        let manager = CBCentralManager(
            delegate: recorder, queue: bench.centralQueue,
            options: bench.options(bench.radio.source(named: name), nil, pairing))
        await recorder.log.next("state poweredOn")
        let found = Found()
        recorder.onDiscover = { manager, peripheral in
            manager.stopScan()
            peripheral.delegate = recorder
            found.peripheral = peripheral
        }
        manager.scanForPeripherals(withServices: [Bench.service])
        await recorder.log.next("discover")
        let peripheral = try #require(found.peripheral)
        manager.connect(peripheral)
        await recorder.log.next("connect true")
        peripheral.discoverServices([Bench.service])
        await recorder.log.next("services ok")
        let service = try #require(peripheral.services?.first)
        peripheral.discoverCharacteristics([Bench.locked], for: service)
        await recorder.log.next("characteristics ok")
        peripheral.readValue(for: try #require(service.characteristics?.first))
        let result = await recorder.log.next("value")
        manager.cancelPeripheralConnection(peripheral)
        await recorder.log.next("disconnect")
        return result
    }

    @Test func aFixedPasskeyIsRefusedAfterThreeFailuresUntilAllowed() async throws {
        let number: UInt32 = 918_273
        let permission = Permission()
        let device = HaraldPairing.passkey(number) { allow in
            permission.allow.withLock { $0 = allow }
            permission.events.add("blocked on \(DispatchQueue.getSpecific(key: queueKey) ?? "none")")
        }
        let bench = await Bench(pairing: (nil, device))
        for guess in 1...3 as ClosedRange<UInt32> {
            #expect(try await read(bench, as: "stranger \(guess)", with: guess).hasPrefix("value FFF6 CB"))
        }
        #expect(await permission.events.next("") == "blocked on device")
        // After three failures the correct passkey is refused too.
        #expect(try await read(bench, as: "stranger 4", with: number).hasPrefix("value FFF6 CB"))
        let allow = try #require(permission.allow.withLock { $0 })
        allow()
        #expect(try await read(bench, as: "stranger 5", with: number) == "value FFF6 ok 2A")
    }
}
