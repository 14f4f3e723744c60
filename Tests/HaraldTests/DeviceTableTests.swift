import BluetoothBackend
import Harald
import Testing

/// A table of devices behaves like a dictionary for all keys.
@Suite struct DeviceTableTests {
    private final class Device {
        let key: Int
        init(_ key: Int) { self.key = key }
    }

    /// The numbers are the low bits of an address: with 65,536 between them, all share one place.
    @Test(arguments: [1, 7, 1024, 65536]) func theTableBehavesLikeADictionary(distance: Int) throws {
        func id(_ key: Int) -> PeripheralID { PeripheralID(high: 7, low: UInt64(key * distance)) }
        var table = DeviceTable<PeripheralID, Device>()
        var expected: [Int: Device] = [:]
        var random = SystemRandomNumberGenerator()
        for step in 0..<4000 {
            let key = Int.random(in: 0..<300, using: &random)
            #expect(table[id(key)] === expected[key])
            if expected[key] == nil || step % 5 == 0 {
                let device = Device(key)
                table.insert(device, for: id(key))
                expected[key] = device
            }
            if step % 1000 == 999 {
                table.keep { $0.key % 3 == 0 }
                expected = expected.filter { $0.key % 3 == 0 }
            }
            #expect(table.count == expected.count)
        }
        #expect(Set(table.all.map(\.key)) == Set(expected.keys))
        for key in 0..<300 { #expect(table[id(key)] === expected[key]) }
    }

    @Test func aDeviceIsReplacedAfterMostWereRemoved() {
        var table = DeviceTable<PeripheralID, Device>()
        for key in 0..<40 { table.insert(Device(key), for: PeripheralID(high: 0, low: UInt64(key))) }
        table.keep { $0.key < 3 }
        let id = PeripheralID(high: 0, low: 2)
        #expect(table[id]?.key == 2)
        let other = Device(2)
        table.insert(other, for: id)
        #expect(table[id] === other)
    }
}
