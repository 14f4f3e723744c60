import CoreBluetooth
import Testing

/// The enumerations accept each raw value, as those that Swift imports from C do.
@Suite(.timeLimit(.minutes(2))) struct OpenEnumerationTests {
    private func isOpen<Value: RawRepresentable>(_ type: Value.Type) -> Bool where Value.RawValue == Int {
        [-1, 99, 0x80, .max].allSatisfy { type.init(rawValue: $0)?.rawValue == $0 }
    }

    @available(*, deprecated)
    @Test func rawValuesWithoutANameAreAccepted() {
        #expect(isOpen(CBError.Code.self))
        #expect(isOpen(CBATTError.Code.self))
        #expect(isOpen(CBManagerState.self))
        #expect(isOpen(CBCentralManagerState.self))
        #expect(isOpen(CBPeripheralManagerState.self))
        #expect(isOpen(CBManagerAuthorization.self))
        #expect(isOpen(CBPeripheralManagerAuthorizationStatus.self))
        #expect(isOpen(CBPeripheralManagerConnectionLatency.self))
        #expect(isOpen(CBConnectionEvent.self))
        #expect(isOpen(CBPeripheralState.self))
        #expect(isOpen(CBCharacteristicWriteType.self))
        #expect(isOpen(CBChannelSoundingSessionConfiguration.Role.self))
    }

    /// The codes from 0x80 to 0x9F belong to the application (Core 6.0, Vol 3, Part F, 3.4.1.1).
    @Test(arguments: [0x80, 0x9F, 0xFF]) func aPeripheralRespondsWithAnApplicationError(_ number: Int) async throws {
        let bench = await Bench()
        await bench.explore()
        bench.device.readResult = try #require(CBATTError.Code(rawValue: number))
        bench.device.writeResult = try #require(CBATTError.Code(rawValue: number))
        bench.peripheral.readValue(for: bench.characteristic(Bench.dynamic))
        #expect(await bench.central.log.next("value") == "value FFF2 CBATTError.\(number) nil")
        bench.peripheral.writeValue(Data([1]), for: bench.characteristic(Bench.dynamic), type: .withResponse)
        #expect(await bench.central.log.next("written") == "written FFF2 CBATTError.\(number)")
    }

    /// A result that is no octet, or the octet of success, must not become a success.
    @Test(arguments: [0x100, -1, 0x1_0000]) func aResultAbove255IsAnError(_ number: Int) async throws {
        let bench = await Bench()
        await bench.explore()
        bench.device.writeResult = try #require(CBATTError.Code(rawValue: number))
        bench.peripheral.writeValue(Data([1]), for: bench.characteristic(Bench.dynamic), type: .withResponse)
        #expect(await bench.central.log.next("written") == "written FFF2 CBATTError.unlikelyError")
    }
}
