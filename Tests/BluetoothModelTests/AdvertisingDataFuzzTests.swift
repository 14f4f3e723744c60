import BluetoothModel
import TestSupport
import Testing

@Suite(.blocksThread) struct AdvertisingDataFuzzTests {
    /// Random bytes, half of them with lengths that make sense, so that the fuzz gets past the first structure.
    private func bytes(_ random: inout FuzzRandom) -> [UInt8] {
        let length = Int.random(in: 0...40, using: &random)
        var result: [UInt8] = []
        let isWild = random.next() & 1 == 0
        while result.count < length {
            let word = random.next()
            if !isWild {
                let count = UInt8(word % 10)
                result += [count + 1, word & 0x100 == 0 ? 0xFF : UInt8(word >> 9 & 0x3F)]
                for index in 0..<count { result.append(UInt8(truncatingIfNeeded: word >> (14 + index * 5))) }
            } else {
                for index in 0..<UInt64(8) { result.append(UInt8(truncatingIfNeeded: word >> (index * 8))) }
            }
        }
        return Array(result.prefix(length))
    }

    @Test func randomBytesRoundTrip() {
        var random = FuzzRandom()
        for _ in 0..<100_000 {
            let input = bytes(&random)
            let data = AdvertisingData(parsing: input)
            let encoded = data.encoded
            let again = AdvertisingData(parsing: encoded)
            let rebuilt = AdvertisingData(structures: data.structures)
            let isStable =
                input.starts(with: encoded) && again.encoded == encoded && again.malformedTail.isEmpty
                && rebuilt == again && data.encodedLength == encoded.count
                && (data.malformedTail.isEmpty || encoded + data.malformedTail == input)
            if !isStable {
                Issue.record("seed \(random.seed), not stable: \(input.hexText())")
                return
            }
        }
    }

    @Test func propertiesOfRandomBytesDoNotCrash() {
        var random = FuzzRandom()
        for _ in 0..<10_000 {
            let data = AdvertisingData(parsing: bytes(&random))
            var rebuilt = AdvertisingData()
            rebuilt.flags = data.flags
            rebuilt.serviceUUIDs = data.serviceUUIDs
            rebuilt.solicitedServiceUUIDs = data.solicitedServiceUUIDs
            rebuilt.serviceData = data.serviceData
            rebuilt.manufacturerData = data.manufacturerData
            rebuilt.targetAddresses = data.targetAddresses
            rebuilt.txPower = data.txPower
            rebuilt.appearance = data.appearance
            rebuilt.classOfDevice = data.classOfDevice
            rebuilt.connectionIntervalRange = data.connectionIntervalRange
            rebuilt.advertisingInterval = data.advertisingInterval
            rebuilt.leRole = data.leRole
            rebuilt.deviceAddress = data.deviceAddress
            rebuilt.leSupportedFeatures = data.leSupportedFeatures
            rebuilt.channelMapUpdate = data.channelMapUpdate
            rebuilt.encryptedData = data.encryptedData
            let isSame =
                Set(rebuilt.serviceUUIDs) == Set(data.serviceUUIDs) && rebuilt.serviceData == data.serviceData
                && rebuilt.manufacturerData == data.manufacturerData && rebuilt.deviceAddress == data.deviceAddress
                && rebuilt.connectionIntervalRange == data.connectionIntervalRange
                && rebuilt.channelMapUpdate == data.channelMapUpdate && rebuilt.encryptedData == data.encryptedData
                && Set(rebuilt.targetAddresses) == Set(data.targetAddresses)
                && rebuilt.leSupportedFeatures == data.leSupportedFeatures && rebuilt.appearance == data.appearance
                && rebuilt.advertisingInterval == data.advertisingInterval
            let fields = data.fields
            let areFieldsWhole =
                fields.count == data.structures.count + (data.malformedTail.isEmpty ? 0 : 1)
                && fields.allSatisfy { !$0.value.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } }
            _ = (data.localName, data.uri, data.broadcastName, try? data.split())
            if !isSame || !areFieldsWhole {
                Issue.record("seed \(random.seed): \(data) became \(rebuilt)")
                return
            }
        }
    }
}
