#if Programs
import BluetoothRuntime
import Explorer
import Harald
import VirtualDevices

/// What a device was heard to advertise, and how often.
package struct HeardAdvertising: Sendable {
    private var advertisement: [UInt8]?
    private var scanResponse: [UInt8]?
    private var merged = AdvertisingData(structures: [])
    private var isConnectable = true
    private var estimator = IntervalEstimator()
    /// Packets that were no scan responses.
    package private(set) var eventCount = 0

    /// An adapter sends in one packet at most so many octets that every other one hears.
    private static let packetLength = 31
    /// Each advertising event is late by a random time of up to 10 ms (Core 6.0, Vol 6, Part B, 4.4.2.2): by 5 on
    /// average.
    private static let meanDelay = Duration.milliseconds(5)

    /// Nothing was heard yet.
    package init() {}

    /// Whether enough was heard to know the interval well, and both packets.
    package var isEnough: Bool { eventCount > 20 && (scanResponse != nil || eventCount > 40) }

    /// The device was heard.
    package mutating func note(_ found: Discovery, at time: RadioInstant) {
        merged = found.advertisement
        if found.isScanResponse {
            scanResponse = found.packet
        } else {
            advertisement = found.packet ?? advertisement
            isConnectable = found.isConnectable
            eventCount += 1
            estimator.note(time)
        }
    }

    /// The interval in whole steps of 0.625 ms; nil where the device was heard less than twice.
    package var interval: Duration? {
        guard let measured = estimator.interval else { return nil }
        let steps = ((measured - Self.meanDelay) / .microseconds(625)).rounded()
        return .microseconds(Int64(min(max(steps, 32), 16_384)) * 625)
    }

    /// The same as part of a device file. Packets that every adapter can send are taken as they are; of longer ones the
    /// structures that fit.
    package var advertising: DeviceAdvertising {
        var result = DeviceAdvertising()
        result.isConnectable = isConnectable
        if let interval { result.interval = interval }
        if let advertisement, advertisement.count <= Self.packetLength,
            scanResponse?.count ?? 0 <= Self.packetLength
        {
            result.raw = Self.whole(advertisement)
            let response = scanResponse.map(Self.whole) ?? []
            result.rawScanResponse = response.isEmpty ? nil : response
        } else {
            (result.raw, result.rawScanResponse) = DeviceAdvertising.packets(of: merged)
        }
        return result
    }

    /// What is left out, in words; nil where nothing is.
    package var problem: String? {
        let length = max(advertisement?.count ?? 0, scanResponse?.count ?? 0)
        guard length > Self.packetLength else { return nil }
        return "a packet of the advertisement has \(length) octets; a device file has 31, and the structures that fit"
    }

    private static func whole(_ packet: [UInt8]) -> [UInt8] { AdvertisingData(parsing: packet).encoded }
}
#endif
