import HaraldDevices
import Testing

/// Worked values of the sensors, from the formulas of their data sheets.
@Suite struct SensorTagVectorTests {
    private func pair(_ bytes: [UInt8]) throws -> RawUInt16Pair { try RawUInt16Pair(bytes: bytes) }
    private func near(_ left: Double, _ right: Double, _ tolerance: Double = 0.001) -> Bool {
        abs(left - right) <= tolerance
    }

    @Test func firstTag() throws {
        let warm = SensorTagFormulas.tmp006(try pair([0x0A, 0xFE, 0x70, 0x0C]))
        #expect(near(warm.ambient, 24.875) && near(warm.object, 16.2158, 0.01))
        let cold = SensorTagFormulas.tmp006(try pair([0x2C, 0x01, 0x00, 0xFB]))
        #expect(near(cold.ambient, -10) && near(cold.object, 2.606, 0.01))
        let humidity = SensorTagFormulas.sht21(try pair([0, 0, 0, 0]))
        #expect(near(humidity.temperature, -46.85) && near(humidity.humidity, -6))
        let axes = try RawAxes8(bytes: [0x10, 0xF0, 0x40]).axes * SensorTagFormulas.gravitiesPerCount
        #expect(axes == Axes(1, -1, 4))
        let more = try RawAxes8(bytes: [0x7F, 0x01, 0xFF]).axes * SensorTagFormulas.gravitiesPerCount
        #expect(more == Axes(7.9375, 0.0625, -0.0625))
        let field = try RawAxes16(bytes: [0xE8, 0x03, 0x18, 0xFC, 0, 0]).axes * SensorTagFormulas.microteslasPerCount
        #expect(near(field.x, 30.517578) && near(field.y, -30.517578) && field.z == 0)
        let turning =
            try RawAxes16(bytes: [0x83, 0, 0x7D, 0xFF, 0, 0]).axes * SensorTagFormulas.degreesPerSecondPerCount
        #expect(near(turning.x, 0.999451) && near(turning.y, -0.999451) && turning.z == 0)
    }

    @Test func firstTagsBarometer() throws {
        let calibration = try BarometerCalibration(
            bytes: [0x81, 0xB2, 0xF8, 0x63, 0xFE, 0xBE, 0x4E, 0x8D, 0x59, 0x1B, 0xC6, 0x07, 0x01, 0xF7, 0x3B, 0x15])
        let first = SensorTagFormulas.t5400(try pair([0xC7, 0xF5, 0xCB, 0x84]), calibration)
        #expect(near(first.temperature, 17.864) && near(first.pressure, 101_997.2, 1))
        let second = SensorTagFormulas.t5400(try pair([0x10, 0x27, 0x50, 0xC3]), calibration)
        #expect(near(second.temperature, 52.23, 0.01) && near(second.pressure, 159_637, 1))
    }

    @Test func secondTag() throws {
        let temperature = SensorTagFormulas.tmp007(try pair([0x00, 0xFB, 0x80, 0xFD]))
        #expect(near(temperature.object, -10) && near(temperature.ambient, -5))
        let humidity = SensorTagFormulas.hdc1000(try pair([0x00, 0x66, 0x00, 0x80]))
        #expect(near(humidity.temperature, 25.74219) && near(humidity.humidity, 50))
        let most = SensorTagFormulas.hdc1000(try pair([0xFF, 0xFF, 0xFF, 0xFF]))
        #expect(near(most.temperature, 124.99748) && near(most.humidity, 99.99847))
        #expect(SensorTagFormulas.opt3001(0) == 0)
        #expect(near(SensorTagFormulas.opt3001(0x1001), 0.02))
        #expect(near(SensorTagFormulas.opt3001(0x5D2C), 1079.04))
        let movement = try RawMovement(bytes: [
            0x83, 0x00, 0x7D, 0xFF, 0x8F, 0x02, 0x00, 0x10, 0x00, 0xF0, 0x00, 0x20, 0x64, 0x00, 0x38, 0xFF, 0x2C, 0x01,
        ])
        let turning = movement.gyroscope.axes * SensorTagFormulas.degreesPerSecondPerCount
        #expect(near(turning.x, 0.999451) && near(turning.y, -0.999451) && near(turning.z, 4.997253))
        #expect(movement.accelerometer.axes * (8.0 / 32768) == Axes(1, -1, 2))
        #expect(movement.magnetometer.axes == Axes(100, -200, 300))
        let other = try RawMovement(bytes: [0, 0, 0, 0, 0, 0, 0x00, 0x20] + Array(repeating: 0, count: 10))
        #expect(other.accelerometer.axes * (4.0 / 32768) == Axes(1, 0, 0))
        let keys = try [1, 3, 4].map { try SensorTagKeys(bytes: [$0]) }
        #expect(keys.map(\.left) == [false, true, false])
        #expect(keys.map(\.right) == [true, true, false])
        #expect(keys.map(\.reed) == [false, false, true])
        let barometer = try RawBarometer(bytes: [0, 0, 0, 0, 0, 0])
        #expect(barometer.temperature == 0 && barometer.pressure == 0)
    }

    @Test(arguments: [(20.0, 22.0), (-5, 10), (36.6, 24), (60, 25)])
    func formulasHaveTheirInverses(object: Double, ambient: Double) {
        let first = SensorTagFormulas.tmp006(SensorTagFormulas.rawTMP006(object: object, ambient: ambient))
        #expect(near(first.ambient, ambient, 0.004) && near(first.object, object, 0.05))
        let second = SensorTagFormulas.tmp007(SensorTagFormulas.rawTMP007(object: object, ambient: ambient))
        #expect(near(second.ambient, ambient, 0.016) && near(second.object, object, 0.016))
        let lux = SensorTagFormulas.opt3001(SensorTagFormulas.rawOPT3001(lux: 1079))
        #expect(near(lux, 1079, 0.2))
    }
}
