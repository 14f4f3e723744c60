import Harald
import Testing

@Suite struct DistanceTests {
    @Test func distanceFollowsThePathLoss() {
        let near = DistanceEstimate(rssi: -50, txPower: 0)
        #expect(abs(near.metres - 1) < 1e-9)
        #expect(abs(DistanceEstimate(rssi: -70, txPower: 0).metres - 10) < 1e-9)
        #expect(abs(DistanceEstimate(rssi: -80, txPower: 0, exponent: 3).metres - 10) < 1e-9)
        #expect(abs(DistanceEstimate(rssi: -66, txPower: 4).metres - 10) < 1e-9)
        #expect(near.range.contains(near.metres))
        // A deviation of 3 dB remains for any number of measurements.
        let long = DistanceEstimate(rssi: -50, txPower: 0, measurements: 1e9)
        #expect(long.range.upperBound < near.range.upperBound && abs(long.deviation - 3) < 0.01)
        #expect(near.description == "about 1.0 m (0.5 to 2.0)")
    }

    @Test func signalsAreSmoothed() {
        var smoother = RSSISmoother()
        #expect(smoother.distance(txPower: nil) == nil)
        for rssi in [-60, -40, -60, -40] { smoother.add(rssi) }
        #expect(smoother.mean == -50)
        for _ in 0..<200 { smoother.add(-70) }
        #expect(abs((smoother.mean ?? 0) + 70) < 0.01)
        #expect(smoother.measurements == 15)
    }
}

@Suite struct BeaconDistanceTests {
    /// A beacon in Apple's format with a power at one metre.
    private func iBeacon(_ power: Int8) -> AdvertisingData {
        var data = AdvertisingData()
        data.manufacturerData = [
            ManufacturerData(
                company: CompanyIdentifier(rawValue: 0x004C),
                data: [0x02, 0x15] + Array(repeating: 7, count: 20) + [UInt8(bitPattern: power)])
        ]
        return data
    }

    @Test func calibratedPowerIsUsed() {
        #expect(iBeacon(-59).calibratedPower == -59 && iBeacon(-59).powerAtOneMetre == -59)
        let near = DistanceEstimate(rssi: -59, powerAtOneMetre: iBeacon(-59).powerAtOneMetre)
        #expect(abs(near.metres - 1) < 1e-9)
        let far = DistanceEstimate(rssi: -79, powerAtOneMetre: iBeacon(-59).powerAtOneMetre)
        #expect(abs(far.metres - 10) < 1e-9)
        var smoother = RSSISmoother()
        smoother.add(-79)
        #expect(abs((smoother.distance(of: iBeacon(-59))?.metres ?? 0) - 10) < 1e-9)
    }

    @Test func eddystoneIsCalibratedAtZeroMetres() {
        var data = AdvertisingData()
        data.serviceData = ["FEAA": [0x10, 0xF7, 0x03]]
        #expect(data.calibratedPower == -50)
        // Telemetry has no power, and neither has truncated data.
        data.serviceData = ["FEAA": [0x20, 0x00, 0x03]]
        #expect(data.calibratedPower == nil)
        data.serviceData = ["FEAA": [0x10]]
        #expect(data.calibratedPower == nil)
    }

    @Test func otherDevicesUseTheirTransmitPower() {
        var data = AdvertisingData()
        #expect(data.powerAtOneMetre == -50)
        data.txPower = 4
        #expect(data.powerAtOneMetre == -46)
        data.manufacturerData = [
            ManufacturerData(company: CompanyIdentifier(rawValue: 0x004C), data: [0x10, 0x05, 1, 2])
        ]
        #expect(data.calibratedPower == nil && data.powerAtOneMetre == -46)
    }
}
