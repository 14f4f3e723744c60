import Testing

@testable import BluetoothProfiles

/// Every type: a decoded value is encoded to bytes that decode to the same value; truncated bytes are an error that
/// names a field.
@Suite struct RoundTripTests {
    @Test func everyTypeRoundTrips() throws {
        for type in Profiles.types { try roundTrips(type) }
    }

    private func roundTrips<Value: CharacteristicType>(_ type: Value.Type) throws {
        var random = TestRandom(state: 0x5EED)
        var good = 0
        for round in 0..<300 {
            let sample = sample(of: type, round: round, &random)
            let value: Value
            do throws(ValueError) { value = try Value(bytes: sample) } catch {
                if error.field.isEmpty || error.reason.isEmpty { Issue.record("\(type): an error without a name") }
                continue
            }
            good += 1
            let encoded = try value.encoded()
            let again = try Value(bytes: encoded)
            // An expectation each would take longer than the work.
            if again != value { Issue.record("\(type): \(sample)") }
            if try again.encoded() != encoded { Issue.record("\(type): \(sample) has other bytes") }
            if try value.fields() != Value.fields(of: encoded) { Issue.record("\(type): \(sample) has other fields") }
            // Cut at every length, it is another value of the type or an error that names the field.
            guard good < 20 else { continue }
            for length in 0..<encoded.count {
                do throws(ValueError) { _ = try Value(bytes: encoded.prefix(length)) } catch {
                    if error.field.isEmpty { Issue.record("\(type): an error without a name") }
                }
            }
        }
        #expect(good >= 20, "\(type): only \(good) of 300 were values")
    }

    /// Bytes that have a fair chance to be a value.
    private func sample(
        of type: any CharacteristicType.Type, round: Int, _ random: inout TestRandom
    ) -> [UInt8] {
        if type == CGMMeasurement.self { return cgm(&random) }
        if type == CGMFeature.self {
            var feature = CGMFeature()
            feature.features = .init(rawValue: .random(in: 0..<1 << 17, using: &random))
            return (try? feature.encoded()) ?? []
        }
        let length = Int.random(in: 0..<34, using: &random)
        // Small numbers are dates and codes more often than large ones.
        let top: UInt8 = round.isMultiple(of: 2) ? 255 : 23
        var bytes = (0..<length).map { _ in UInt8.random(in: 0...top, using: &random) }
        if type is any TextValue.Type { return bytes.map { $0 & 0x7F | 1 } }
        if [CurrentTime.uuid, DateTimeValue.uuid, CGMSessionStartTime.uuid, DateOfBirth.uuid].contains(type.uuid) {
            let date: [UInt8] = [0xEA, 7, .random(in: 0...12, using: &random), 3, 4, 5, 6]
            let size = [0x2A2B: 10, 0x2A08: 7, 0x2AAA: 9, 0x2A85: 4][Int(type.uuid.shortValue ?? 0)] ?? 7
            bytes = Array((date + bytes + [0, 0, 0]).prefix(size))
        }
        if bytes.count > 2 {
            for size in 1..<40 where (try? type.init(bytes: grown(bytes, size))) != nil { return grown(bytes, size) }
        }
        return bytes
    }

    private func grown(_ bytes: [UInt8], _ size: Int) -> [UInt8] {
        Array((bytes + Array(repeating: 1, count: 48)).prefix(size))
    }

    private func cgm(_ random: inout TestRandom) -> [UInt8] {
        let value = CGMMeasurement { value in
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                value.records.append(
                    CGMMeasurement.Record {
                        $0.glucoseConcentration = ProfileNumber(.random(in: 20...400, using: &random))
                        $0.timeOffset = .random(in: 0...60000, using: &random)
                        $0.sensorStatusAnnunciation = .init(rawValue: .random(in: 0..<1 << 24, using: &random))
                        $0.trend =
                            Bool.random(using: &random)
                            ? ProfileNumber(.random(in: -99...99, using: &random), exponent: -1) : nil
                        $0.quality = Bool.random(using: &random) ? 97 : nil
                        $0.isProtected = Bool.random(using: &random)
                    })
            }
        }
        return (try? value.encoded()) ?? []
    }

    @Test func anythingIsAValueOrAnError() {
        var random = TestRandom(state: 7)
        for type in Profiles.types {
            for _ in 0..<60 {
                let sample = (0..<Int.random(in: 0..<64, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                _ = try? type.fields(of: sample)
            }
        }
    }
}
