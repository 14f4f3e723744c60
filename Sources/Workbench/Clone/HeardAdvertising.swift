import BluetoothRuntime
import Explorer
import Harald
import VirtualDevices

/// The received advertising of a device: its data and its interval.
package struct HeardAdvertising: Sendable {
    private var advertisement: [UInt8]?
    private var scanResponse: [UInt8]?
    private var merged = AdvertisingData(structures: [])
    private var isConnectable = true
    private var estimator = IntervalEstimator()
    /// The number of packets other than scan responses.
    package private(set) var eventCount = 0

    /// The maximum number of octets of a legacy advertising packet, which every adapter receives.
    private static let packetLength = 31
    /// The mean of the random delay of each advertising event, 0 to 10 ms (Core 6.0, Vol 6, Part B, 4.4.2.2).
    private static let meanDelay = Duration.milliseconds(5)

    /// Creates a record without packets.
    package init() {}

    /// True after enough packets to estimate the interval, and to have the scan response if there is one.
    package var isEnough: Bool { eventCount > 20 && (scanResponse != nil || eventCount > 40) }

    /// Records a packet of the device.
    package mutating func note(_ found: ScanResult, at time: RadioInstant) {
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

    /// The interval in whole steps of 0.625 ms; nil if there are not enough packets to estimate it.
    package var interval: Duration? {
        guard let measured = estimator.interval else { return nil }
        let steps = ((measured - Self.meanDelay) / .microseconds(625)).rounded()
        return .microseconds(Int64(min(max(steps, 32), 16_384)) * 625)
    }

    /// The advertising in the form of a device file. Packets that every adapter can send are copied; of longer packets,
    /// the structures that fit are copied.
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

    /// A message about structures that are omitted; nil if the packets fit.
    package var problem: String? {
        let length = max(advertisement?.count ?? 0, scanResponse?.count ?? 0)
        guard length > Self.packetLength else { return nil }
        return "an advertising packet has \(length) octets; the device file contains only the structures that fit in 31"
    }

    private static func whole(_ packet: [UInt8]) -> [UInt8] { AdvertisingData(parsing: packet).encoded }
}
