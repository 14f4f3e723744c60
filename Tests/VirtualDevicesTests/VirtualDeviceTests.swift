import BluetoothRuntime
import Harald
import Synchronization
import Testing
import VirtualTransport

@testable import VirtualDevices

/// Devices on a virtual radio, with a central beside them.
@Suite(.timeLimit(.minutes(2))) struct VirtualDeviceTests {
    /// Runs `body` with a device on an air of its own and a central that has found it.
    private func withDevice(
        _ file: DeviceFile, _ body: (VirtualDevice, Peripheral) async throws -> Void
    ) async throws {
        let radio = VirtualRadio()
        let device = try await VirtualDevice(file, on: radio.adapter(named: "device"))
        let central = try await Central(adapter: radio.adapter(named: "central"))
        var found: Peripheral?
        for try await discovery in central.scan() where discovery.name == file.name {
            found = discovery.peripheral
            break
        }
        try await body(device, try #require(found))
        await central.close()
        await device.close()
    }

    @Test func aStrapIsReadAndSubscribedTo() async throws {
        let strap = try #require(try BuiltIn.device(named: "polar-h7"))
        try await withDevice(strap) { _, peripheral in
            try await peripheral.connect()
            #expect(try await peripheral.characteristic("180F", "2A19").read() == [85])
            #expect(try await peripheral.characteristic("180D", "2A38").read() == [1])
            let maker = try await peripheral.characteristic("180A", "2A29").read()
            #expect(String(decoding: maker, as: UTF8.self) == "Polar Electro Oy")
            let rates = try await peripheral.characteristic("180D", "2A37").notifications()
            var values: [[UInt8]] = []
            for try await value in rates {
                values.append(value)
                if values.count == 4 { break }
            }
            for value in values {
                #expect(value[0] & 0x06 == 0x06)
                #expect((64...92).contains(value[1]))
            }
            let control = try await peripheral.characteristic("180D", "2A39")
            try await control.write([1])
            let error = await #expect(throws: BluetoothError.self) { try await control.write([2]) }
            #expect(error?.code == .att(ATTErrorCode(rawValue: 0x80)))
            await peripheral.disconnect()
        }
    }

    @Test func aDeviceAdvertisesForItsDuration() async throws {
        let clock = RadioClock.manual()
        let radio = VirtualRadio(clock: clock)
        let file = try DeviceFile(yaml: "name: Short\nadvertise: {duration: 3 s}")
        #expect(try DeviceFile(yaml: file.yaml).advertising.duration == .seconds(3))
        let device = try await VirtualDevice(file, on: radio.adapter(named: "device"))
        let central = try await Central(adapter: radio.adapter(named: "central"))
        func isHeard() async throws -> Bool {
            let isOver = Atomic(false)
            // On the loop, so that the clock waits for the scan to begin.
            let scan = Task(executorPreference: central.executor) {
                defer { isOver.store(true, ordering: .releasing) }
                return try await central.scan(duration: .seconds(1)).first { _ in true } != nil
            }
            while !isOver.load(ordering: .acquiring) { await clock.advance(by: .milliseconds(100)) }
            return try await scan.value
        }
        #expect(try await isHeard())
        await clock.advance(by: .seconds(3))
        #expect(try await !isHeard())
        // The command of a recovery begins again.
        try await device.advertise()
        #expect(try await isHeard())
        await central.close()
        await device.close()
    }

    @Test func writesAreStoredAndRepliedTo() async throws {
        let vendor = try #require(try BuiltIn.device(named: "vendor-fff0"))
        try await withDevice(vendor) { _, peripheral in
            try await peripheral.connect()
            let command = try await peripheral.characteristic("FFF0", "FFF1")
            var answers = try await peripheral.characteristic("FFF0", "FFF2").notifications().makeAsyncIterator()
            for type in [WriteType.withResponse, .withoutResponse] {
                try await command.write([0xAA, 0xBB], type: type)
                #expect(try await answers.next() == [0xAA, 0xBB])
            }
            #expect(try await command.read() == [0xAA, 0xBB])
            try await command.write([1])
            #expect(try await answers.next() == [1])
            #expect(try await answers.next() == Array("on".utf8))
            #expect(try await command.read() == [1])
            // One of the writes ends the link.
            let states = peripheral.states
            try await command.write([0xFF], type: .withoutResponse)
            for try await state in states {
                if case .disconnected = state { break }
            }
            #expect(!peripheral.isConnected)
        }
    }

    @Test func aLinkEndsAfterTheConfiguredTime() async throws {
        try await withDevice(DeviceFile(name: "Shy", disconnectAfter: .seconds(2))) { _, peripheral in
            try await peripheral.connect()
            var reason: BluetoothError?
            for try await state in peripheral.states {
                if case .disconnected(let error) = state {
                    reason = error
                    break
                }
            }
            guard case .disconnected = try #require(reason).code else {
                Issue.record("\(String(describing: reason))")
                return
            }
        }
    }

    @Test func aReadValueFollowsItsWaveform() async throws {
        let ramp = ValueTemplate([
            .number(NumberFormat(.u16), .ramp(0...60000, period: .seconds(60), falls: false), digits: 0)
        ])
        let file = DeviceFile(
            name: "Ramp", services: [DeviceService("FFF0", [DeviceCharacteristic("FFF1", .read, value: ramp)])])
        try await withDevice(file) { _, peripheral in
            try await peripheral.connect()
            let characteristic = try await peripheral.characteristic("FFF0", "FFF1")
            var values: Set<[UInt8]> = []
            while values.count < 3 { values.insert(try await characteristic.read()) }
            await peripheral.disconnect()
        }
    }

    @Test func handlesAreThoseOfTheFile() async throws {
        let file = DeviceFile(
            name: "Handles",
            services: [
                DeviceService(
                    "FFF0", [DeviceCharacteristic("FFF1", .read, value: .init([1]), handle: 0x42)], handle: 0x40)
            ])
        try await withDevice(file) { _, peripheral in
            try await peripheral.connect()
            let characteristic = try await peripheral.characteristic("FFF0", "FFF1")
            #expect(characteristic.valueHandle.rawValue == 0x42)
            #expect(characteristic.service.handle.rawValue == 0x40)
            await peripheral.disconnect()
        }
    }
}
