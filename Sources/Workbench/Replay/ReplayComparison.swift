import BluetoothModel
import Explorer
import Harald
import VirtualDevices

/// Sends the requests of a captured device to another device, and compares the answers.
package struct ReplayComparison: Sendable {
    package struct Outcome: Sendable {
        /// The result of a comparison; the raw value is its name in JSON.
        package enum Result: String, Sendable {
            // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
            case same, different, notRun
        }

        /// The number of the packet in the capture; nil for the structure of the device.
        package var number: Int?
        package var action: String
        package var path: String
        package var result: Result
        package var recorded: String
        package var got: String

        /// The outcome as a JSON object.
        package var json: JSONValue {
            [
                "number": .optional(number), "action": .string(action), "path": .string(path),
                "result": .string(result.rawValue), "recorded": .string(recorded), "got": .string(got),
            ]
        }

        /// The outcome in one line.
        package var line: String {
            let mark =
                switch result {
                case .same: "same     "
                case .different: "DIFFERENT"
                case .notRun: "not run  "
                }
            let place = number.map { "\($0)" } ?? "-"
            let head = "\(mark) \(String(repeating: " ", count: max(0, 5 - place.count)))\(place)  \(action) \(path)"
            return result == .same ? "\(head): \(got)" : "\(head): recorded \(recorded), got \(got)"
        }
    }

    /// The timeout of each request.
    package var timeout = Duration.seconds(10)
    /// True to send the writes of the capture.
    package var writes = true
    /// Characteristics whose values are not compared.
    package var ignored: Set<BluetoothUUID> = []
    /// The maximum number of values to compare for each subscription of a characteristic that does not answer writes.
    private let streamed = 3
    /// The additional time to wait for a notification or an indication.
    private let patience = Duration.seconds(2)

    package init() {}

    /// Sends the requests of a capture to a connected device, and compares the answers.
    /// - Returns: The number of differences.
    /// - Throws: ``BluetoothError`` if the link ends; `CancellationError`.
    package func run(
        _ device: CapturedDevice, _ file: DeviceFile, on peripheral: Peripheral, report: (Outcome) -> Void
    ) async throws -> Int {
        let services = try await peripheral.discoverAll(timeout: timeout)
        let all = (services + peripheral.services.filter { !$0.isPrimary }).flatMap(\.characteristics)
        var (targets, differences) = ([UInt16: Characteristic](), 0)
        func add(_ outcome: Outcome) {
            if outcome.result == .different { differences += 1 }
            report(outcome)
        }
        let places = CapturedDevice.places(of: file)
        var seen: [[BluetoothUUID]: Int] = [:]
        for (handle, place) in places.sorted(by: { $0.key < $1.key }) {
            let key = [place.serviceUUID, place.uuid]
            let fitting = all.filter { $0.service.uuid == place.serviceUUID && $0.uuid == place.uuid }
            let index = seen[key, default: 0]
            seen[key] = index + 1
            let known = file.services[place.service].characteristics[place.characteristic].properties.names
            var outcome = Outcome(
                number: nil, action: "discover", path: Self.path(place), result: .same,
                recorded: known.joined(separator: " "), got: "nothing")
            if index < fitting.count {
                targets[handle] = fitting[index]
                outcome.got = fitting[index].properties.names.joined(separator: " ")
            }
            outcome.result = outcome.got == outcome.recorded ? .same : .different
            add(outcome)
        }
        var run = Run(targets: targets, places: places, configurations: CapturedDevice.configurations(of: file))
        for event in device.currentEvents {
            if case .sent(let handle, let bytes) = event.action { run.lengths[handle, default: []].append(bytes.count) }
        }
        for event in device.currentEvents {
            try Task.checkCancellation()
            if let outcome = try await self.outcome(of: event, &run, peripheral) { add(outcome) }
        }
        return differences
    }

    /// The state of a comparison.
    private struct Run {
        let targets: [UInt16: Characteristic]
        let places: [UInt16: CapturedDevice.Place]
        let configurations: [UInt16: UInt16]
        var feeds: [UInt16: ScriptFeed] = [:]
        /// The number of values received from each subscription.
        var counts: [UInt16: Int] = [:]
        /// The recorded lengths of the values that a characteristic sends.
        var lengths: [UInt16: [Int]] = [:]
        /// The services with a write after the last subscription to one of their characteristics.
        var written: Set<Int> = []
        var time: Int64?
    }

    private static func path(_ place: CapturedDevice.Place) -> String { "\(place.serviceUUID)/\(place.uuid)" }

    private func outcome(
        of event: CapturedDevice.Event, _ run: inout Run, _ peripheral: Peripheral
    ) async throws -> Outcome? {
        let gap = run.time.map { Duration.nanoseconds(max(0, event.time &- $0)) } ?? .zero
        run.time = event.time
        let owner = run.configurations[event.handle]
        guard let place = run.places[owner ?? event.handle] else { return nil }
        let handle = owner ?? event.handle
        var outcome = Outcome(
            number: event.number, action: "", path: Self.path(place), result: .notRun, recorded: "", got: "")
        guard let target = run.targets[handle] else {
            // The comparison of the structure has reported the missing characteristic.
            return nil
        }
        switch event.action {
        case .read(_, let answer):
            guard owner == nil else { return nil }
            outcome.action = "read"
            outcome.recorded = Self.text(answer, place.uuid)
            let got = try await Self.answer { () async throws(BluetoothError) in
                .value(try await target.read(timeout: timeout))
            }
            outcome.got = Self.text(got, place.uuid)
            outcome.result = got == answer || ignored.contains(place.uuid) ? .same : .different
        case .write(_, let bytes, let isCommand, let answer):
            outcome.action = owner == nil ? "write" : "subscribe"
            outcome.recorded = Self.text(answer, place.uuid)
            if owner != nil {
                let isOn = (bytes.first ?? 0) & 3 != 0
                if !isOn { outcome.action = "unsubscribe" }
                let (before, feed) = (run.feeds[handle], ScriptFeedBox())
                let got = try await Self.answer { () async throws(BluetoothError) in
                    if isOn { feed.value = ScriptFeed(try await target.subscribe(), of: peripheral) }
                    return .done
                }
                run.feeds[handle] = isOn ? feed.value ?? before : nil
                run.counts[handle] = 0
                run.written.remove(place.service)
                outcome.got = Self.text(got, place.uuid)
                outcome.result = got == answer ? .same : .different
                return outcome
            }
            outcome.path += " \(bytes.hexText(separator: " "))"
            guard writes else {
                outcome.got = "not sent: writes are disabled"
                return outcome
            }
            let got = try await Self.answer { () async throws(BluetoothError) in
                try await target.write(bytes, type: isCommand ? .withoutResponse : .withResponse, timeout: timeout)
                return .done
            }
            run.written.insert(place.service)
            outcome.got = Self.text(got, place.uuid)
            outcome.result = got == answer ? .same : .different
        case .sent(_, let bytes):
            let answers = run.written.contains(place.service)
            run.counts[handle, default: 0] += 1
            if !answers, run.counts[handle] ?? 0 > streamed { return nil }
            return try await value(bytes, answers, target, handle, gap, outcome, &run, peripheral)
        }
        return outcome
    }

    /// Waits for a value that the device sends. Compares the bytes of a value that answers a write. Of other values,
    /// compares the length if there are eight or more recorded values of equal length.
    private func value(
        _ bytes: [UInt8], _ answers: Bool, _ target: Characteristic, _ handle: UInt16, _ gap: Duration,
        _ begun: Outcome, _ run: inout Run, _ peripheral: Peripheral
    ) async throws -> Outcome {
        var outcome = begun
        outcome.action = "value"
        outcome.recorded = ValueText(bytes, of: target.uuid).line
        // The client subscribed before the capture began.
        if run.feeds[handle] == nil {
            run.feeds[handle] = ScriptFeed(try await target.subscribe(), of: peripheral)
        }
        guard let feed = run.feeds[handle], let got = try await feed.next(within: gap + patience) else {
            try Task.checkCancellation()
            (outcome.result, outcome.got) = (.different, "no value")
            return outcome
        }
        outcome.got = ValueText(got, of: target.uuid).line
        let lengths = run.lengths[handle] ?? []
        let hasLength = lengths.count >= 8 && Set(lengths).count == 1
        let isSame = answers ? got == bytes : got.count == bytes.count || !hasLength
        outcome.result = isSame || ignored.contains(target.uuid) ? .same : .different
        return outcome
    }

    /// Runs a request, and returns an error of the device as its answer.
    private static func answer(
        _ request: () async throws(BluetoothError) -> CapturedDevice.Answer
    ) async throws -> CapturedDevice.Answer {
        do throws(BluetoothError) { return try await request() } catch {
            if case .att(let code) = error.code { return .error(code) }
            // The library refuses a request that the properties of the characteristic do not permit.
            if case .unsupported = error.code { return .error(.requestNotSupported) }
            throw error
        }
    }

    private static func text(_ answer: CapturedDevice.Answer, _ uuid: BluetoothUUID) -> String {
        switch answer {
        case .value(let bytes): ValueText(bytes, of: uuid).line
        case .error(let code): "error: \(code)"
        case .done: "done"
        }
    }
}

/// Passes a feed out of a closure.
private final class ScriptFeedBox { var value: ScriptFeed? }
