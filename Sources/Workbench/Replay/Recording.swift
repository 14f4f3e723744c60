import BluetoothModel

/// The answers and values of a captured device, by characteristic.
package struct Recording: Sendable {
    /// A value that the device sent after a write or a subscription.
    package struct Sent: Hashable, Sendable {
        /// The time since the subscription or the write.
        package var delay: Duration
        package var characteristic: BluetoothUUID
        package var value: [UInt8]
    }

    /// A write, its answer, and the values that the device sent after it.
    package struct Write: Hashable, Sendable {
        package var value: [UInt8]
        package var answer: CapturedDevice.Answer
        package var sent: [Sent] = []
    }

    /// The answers to reads in their order.
    package private(set) var reads: [BluetoothUUID: [CapturedDevice.Answer]] = [:]
    /// The writes in their order.
    package private(set) var writes: [BluetoothUUID: [Write]] = [:]
    /// The values that follow each subscription, in the order of the subscriptions.
    package private(set) var streams: [BluetoothUUID: [[Sent]]] = [:]
    private var firstValues: [UInt16: [UInt8]] = [:]

    /// True if the capture has no values.
    package var isEmpty: Bool { reads.isEmpty && writes.isEmpty && streams.isEmpty }

    func firstValue(of handle: UInt16) -> [UInt8]? { firstValues[handle] }

    init(
        _ events: [CapturedDevice.Event], places: [UInt16: CapturedDevice.Place], configurations: [UInt16: UInt16]
    ) {
        /// The last write to a service on a link.
        var lastWrites: [[UInt64]: (uuid: BluetoothUUID, index: Int, time: Int64)] = [:]
        /// The subscription of a characteristic on a link: its index and its time.
        var subscriptions: [[UInt64]: (index: Int, time: Int64, answersWrites: Bool?)] = [:]
        for event in events {
            if let owner = configurations[event.handle], case .write(_, let bytes, _, .done) = event.action {
                guard let place = places[owner], (bytes.first ?? 0) & 3 != 0 else { continue }
                streams[place.uuid, default: []].append([])
                let index = (streams[place.uuid]?.count ?? 1) - 1
                subscriptions[[UInt64(event.link), UInt64(owner)]] = (index, event.time, nil)
                // A subscription discards earlier writes: values after it do not answer them.
                lastWrites[[UInt64(event.link), UInt64(place.service)]] = nil
                continue
            }
            guard let place = places[event.handle] else { continue }
            let service = [UInt64(event.link), UInt64(place.service)]
            switch event.action {
            case .read(_, let answer):
                reads[place.uuid, default: []].append(answer)
                if case .value(let bytes) = answer, firstValues[event.handle] == nil {
                    firstValues[event.handle] = bytes
                }
            case .write(_, let bytes, _, let answer):
                writes[place.uuid, default: []].append(Write(value: bytes, answer: answer))
                lastWrites[service] = (place.uuid, (writes[place.uuid]?.count ?? 1) - 1, event.time)
            case .sent(_, let bytes):
                let key = [UInt64(event.link), UInt64(event.handle)]
                var subscription = subscriptions[key]
                let write = lastWrites[service]
                // If a write to the service precedes the first value, the characteristic answers writes.
                let answers = subscription?.answersWrites ?? (write != nil)
                subscription?.answersWrites = answers
                if let subscription { subscriptions[key] = subscription }
                if answers, let write {
                    writes[write.uuid]?[write.index].sent.append(
                        Sent(delay: Self.delay(write.time, event.time), characteristic: place.uuid, value: bytes))
                } else {
                    // A value without a subscription in the capture starts a stream, because the client subscribed
                    // before the capture.
                    let start = subscription ?? (streams[place.uuid]?.count ?? 0, event.time, false)
                    if subscription == nil {
                        streams[place.uuid, default: []].append([])
                        subscriptions[key] = start
                    }
                    streams[place.uuid]?[start.index].append(
                        Sent(delay: Self.delay(start.time, event.time), characteristic: place.uuid, value: bytes))
                }
            }
        }
    }

    private static func delay(_ start: Int64, _ end: Int64) -> Duration {
        .nanoseconds(max(0, end.subtractingReportingOverflow(start).partialValue))
    }
}
