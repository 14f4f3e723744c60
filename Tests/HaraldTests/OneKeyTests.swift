import Harald
import Testing
import VirtualTransport

/// Characteristics that one key names.
@Suite(.timeLimit(.minutes(3))) struct OneKeyTests {
    private func withDevice(_ body: (Peripheral) async throws -> Void) async throws {
        let radio = VirtualRadio()
        let device = try await LocalPeripheral(adapter: radio.adapter(named: "device"), name: "Two batteries")
        try await device.publish(
            ServiceDefinition(
                "180D",
                [
                    CharacteristicDefinition("2A38", .read, value: [1]),
                    CharacteristicDefinition(
                        "2A39", .write, onWrite: { _ in throw ATTErrorCode(rawValue: 0x80) }),
                ]))
        for level: UInt8 in [50, 60] {
            try await device.publish(
                ServiceDefinition("180F", [CharacteristicDefinition("2A19", .read, value: [level])]))
        }
        try await device.advertise()
        let central = try await Central(adapter: radio.adapter(named: "central"))
        for try await found in central.scan(for: ["180D"]) {
            try await found.peripheral.withConnection { try await body(found.peripheral) }
            break
        }
        await central.close()
        await device.close()
    }

    @Test func oneKeyIsSufficientIfOneServiceHasIt() async throws {
        try await withDevice { peripheral in
            let location = try await peripheral.characteristic("2A38")
            let value = try await location.read()
            #expect(value == [1])
            // Earlier discoveries have no effect.
            let again = try await peripheral.characteristic("body sensor location")
            #expect(again == location && again.service.uuid == "180D")
        }
    }

    @Test func severalMatchesAreAnError() async throws {
        try await withDevice { peripheral in
            let error = await #expect(throws: BluetoothError.self) { try await peripheral.characteristic("2A19") }
            #expect(error?.code == .notFound && error?.reason.contains("2") == true, "\(String(describing: error))")
            #expect(error?.advice.contains("name the service too") == true)
        }
    }

    @Test func aKeyWithoutAMatchIsAnError() async throws {
        try await withDevice { peripheral in
            let missing = await #expect(throws: BluetoothError.self) { try await peripheral.characteristic("2A37") }
            #expect(missing?.code == .notFound && missing?.advice.contains("180F") == true)
            let unknown = await #expect(throws: BluetoothError.self) { try await peripheral.characteristic("no name") }
            #expect(unknown?.reason == "no characteristic has that name")
        }
    }

    @Test func applicationErrorsHaveTheNameOfTheirService() async throws {
        try await withDevice { peripheral in
            let point = try await peripheral.characteristic("2A39")
            let error = await #expect(throws: BluetoothError.self) { try await point.write([2]) }
            #expect(error?.reason.contains("control point not supported (0x80)") == true)
        }
    }
}
