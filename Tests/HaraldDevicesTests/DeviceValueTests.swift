import HaraldDevices
import Testing

/// Values that only some devices have: random ones come back from their bytes, and bytes of any other length are errors
/// that name a field.
@Suite struct DeviceValueTests {
    private func roundTrips<Value: GATTValue>(_ type: Value.Type, size: Int) throws {
        var random = SystemRandomNumberGenerator()
        var good = 0
        for _ in 0..<400 {
            var bytes = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
            if type is any VendorReading.Type {
                // Any number, and a date that there can be.
                bytes.replaceSubrange(2..<9, with: [0xEA, 7, .random(in: 0...12), 3, 4, 5, 6])
                if type == VendorBloodPressureReading.self { bytes[size - 1] &= 1 }
            }
            guard let value = try? Value(bytes: bytes) else { continue }
            good += 1
            if try value.encoded() != bytes { Issue.record("\(type): \(bytes)") }
            if try value.fields() != Value.fields(of: bytes) { Issue.record("\(type): \(bytes) has other fields") }
        }
        #expect(good >= 200, "\(type): only \(good) of 400 were values")
        for wrong in [Array(repeating: UInt8(0), count: size - 1), Array(repeating: 0, count: size + 1)] {
            let error = #expect(throws: ValueError.self) { try Value(bytes: wrong) }
            #expect(error?.field.isEmpty == false)
        }
    }

    @Test func everyTypeRoundTrips() throws {
        try roundTrips(RawUInt16Pair.self, size: 4)
        try roundTrips(RawAxes8.self, size: 3)
        try roundTrips(RawAxes16.self, size: 6)
        try roundTrips(RawMovement.self, size: 18)
        try roundTrips(RawBarometer.self, size: 6)
        try roundTrips(RawUInt16.self, size: 2)
        try roundTrips(RawUInt8.self, size: 1)
        try roundTrips(SensorPeriod.self, size: 1)
        try roundTrips(SensorTagKeys.self, size: 1)
        try roundTrips(BarometerCalibration.self, size: 16)
        try roundTrips(VendorScaleReading.self, size: 16)
        try roundTrips(VendorBloodPressureReading.self, size: 15)
    }

    @Test func serialBytesAreUnchanged() throws {
        for count in [0, 1, 20, 512] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            #expect(try SerialBytes(bytes: bytes).bytes == bytes)
            #expect(try SerialBytes(bytes).encoded() == bytes)
        }
    }
}
