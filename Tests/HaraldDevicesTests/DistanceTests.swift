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
        // Half of 6 dB stays, however long one listens.
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
