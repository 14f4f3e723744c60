import Testing

@testable import HaraldDevices
@testable import VirtualDevices

/// The vendor's devices, and frames over a link, on a manual clock: frames that pause time out.
@Suite(.timeLimit(.minutes(2))) struct VendorDeviceTests {
    @Test func scaleSendsFrames() async throws {
        try await DeviceRig.withSteppedClock(Twins.vendorScale) { rig in
            let scale = try await Driver<VendorScale>(rig.peripheral)
            let events = try await scale.readings(clock: DateTime(2027, 1, 2, 3, 4, 5)).first(6)
            let readings = events.compactMap { if case .reading(let reading) = $0 { reading } else { nil } }
            #expect(readings.map(\.number) == [1, 2, 3, 4])
            for reading in readings { #expect(reading == Twins.scaleReading(reading.number, at: reading.time)) }
            #expect(readings[3].time > DateTime(2027, 1, 2, 3, 4, 5))
            #expect(events.contains(.storedReadingsEnd))
            #expect(events.contains { if case .dropped(let dropped) = $0 { dropped.count == 3 } else { false } })
        }
    }

    @Test func monitorDeletesAcknowledgedReadings() async throws {
        try await DeviceRig.withSteppedClock(Twins.vendorBloodPressureMonitor) { rig in
            let monitor = try await Driver<VendorBloodPressureMonitor>(rig.peripheral)
            for expected: [UInt16] in [[1, 2, 3], []] {
                var numbers: [UInt16] = []
                for try await event in try await monitor.readings() {
                    if case .reading(let reading) = event {
                        numbers.append(reading.number)
                        #expect(reading == Twins.bloodPressureReading(reading.number, at: reading.time))
                    }
                    if event == .storedReadingsEnd { break }
                }
                #expect(numbers == expected)
            }
        }
    }

    /// Returns a device that sends these pieces as soon as a central subscribes, with pauses between, and then nothing
    /// more.
    private static func device(sending pieces: [[UInt8]], pause: Duration = .zero) -> DeviceFile {
        let uart = SerialService.isscTransparentUART
        var file = DeviceFile(
            name: "Talker",
            services: [
                DeviceService(
                    uart.service,
                    [
                        DeviceCharacteristic(uart.transmit, .notify),
                        DeviceCharacteristic(uart.receive, [.write, .writeWithoutResponse]),
                    ])
            ])
        file.program = DeviceProgramKind("talker") { Talker(stage: $0, pieces: pieces, pause: pause) }
        return file
    }

    private final class Talker: DeviceProgram {
        let stage: DeviceStage
        let pieces: [[UInt8]]
        let pause: Duration

        init(stage: DeviceStage, pieces: [[UInt8]], pause: Duration) {
            (self.stage, self.pieces, self.pause) = (stage, pieces, pause)
        }

        func subscribed(_ central: PeripheralID, to characteristic: BluetoothUUID) async {
            stage.run("talk") { [stage, pieces, pause] in
                for piece in pieces {
                    await stage.send(piece, from: characteristic)
                    try await stage.wait(pause)
                }
            }
        }
    }

    @Test func aPayloadThatDoesNotFitIsAnError() async throws {
        // The length field of one byte limits the second format.
        let formats = [
            VendorProtocol.format,
            FrameFormat(
                start: [2], lengthAt: 1, lengthBytes: 1, payloadAt: 2, overhead: 3, trailer: .xor8, longestPayload: 4096
            ),
        ]
        try await DeviceRig.withSteppedClock(Self.device(sending: [])) { rig in
            try await rig.peripheral.connect()
            for (format, limit) in zip(formats, [256, 255]) {
                let link = try await FramedLink(rig.peripheral, format: format)
                let error = await #expect(throws: BluetoothError.self) {
                    try await link.send(header: [0x82], payload: [UInt8](repeating: 7, count: limit + 1))
                }
                #expect(error?.code == .invalidArgument && error?.reason.contains("at most \(limit)") == true)
                try await link.send(payload: [UInt8](repeating: 7, count: limit))
            }
        }
    }

    @Test func anIncompleteFrameTimesOutByTheClock() async throws {
        let format = VendorProtocol.format
        // The length announces 64 bytes; a complete frame follows, and then nothing.
        let endless: [UInt8] = [0xAA, 0x55, 0x82, 0x00, 0x40]
        let pieces = [endless, format.frame(header: [0x82], payload: [7])]
        try await DeviceRig.withSteppedClock(Self.device(sending: pieces)) { rig in
            try await rig.peripheral.connect()
            let link = try await FramedLink(rig.peripheral, format: format)
            let events = try await link.events().first(2)
            #expect(events.first == .dropped(.init(count: 5, first: endless, reason: .timeout)), "\(events)")
            guard case .frame(let frame) = events.last else {
                Issue.record("the frame behind it is lost: \(events)")
                return
            }
            #expect(frame.payload == [7])
        }
    }

    @Test(arguments: [(Duration.seconds(4), true), (.seconds(6), false)])
    func aFrameMayPauseUpToTheTimeoutOfItsFormat(pause: Duration, isWhole: Bool) async throws {
        let format = VendorProtocol.format
        let frame = format.frame(header: [0x82], payload: Array(1...30))
        let pieces = [Array(frame[..<20]), Array(frame[20...])]
        try await DeviceRig.withSteppedClock(Self.device(sending: pieces, pause: pause)) { rig in
            try await rig.peripheral.connect()
            let link = try await FramedLink(rig.peripheral, format: format)
            let event = try await link.events().first(1).first
            guard isWhole else {
                #expect(event == .dropped(.init(count: 20, first: Array(frame[..<16]), reason: .timeout)))
                return
            }
            guard case .frame(let whole) = event else {
                Issue.record("\(String(describing: event))")
                return
            }
            #expect(whole.payload == Array(1...30))
        }
    }

    @Test func aReadingThatCannotBeDecodedDoesNotEndTheSequence() async throws {
        let reading = Twins.bloodPressureReading(2, at: DateTime(2026, 1, 2, 3, 4, 5))
        let good = Twins.bytes(reading)
        let short = Array(good.dropLast())
        // The year 65535: the clock was never set.
        var unset = good
        for index in 2..<9 { unset[index] = 0xFF }
        var stream: [UInt8] = []
        for payload in [short, unset, good] {
            stream += VendorProtocol.format.frame(header: [0x82], payload: payload)
        }
        let pieces = stride(from: 0, to: stream.count, by: 20).map { Array(stream[$0..<min($0 + 20, stream.count)]) }
        try await DeviceRig.withSteppedClock(Self.device(sending: pieces)) { rig in
            try await rig.peripheral.connect()
            let readings = try await VendorReadings<VendorBloodPressureReading>(rig.peripheral, acknowledges: false)
            let events = try await readings.first(3)
            guard case .unknown(let frame) = events[0], case .reading(let second) = events[1] else {
                Issue.record("\(events)")
                return
            }
            #expect(frame.payload == short)
            #expect(second.time == DateTime() && second.systolic == reading.systolic)
            #expect(events[2] == .reading(reading))
        }
    }

    @Test func pendingBytesAreReportedAtTheEnd() async throws {
        let pieces: [[UInt8]] = [[0xAA, 0x55, 0x82]]
        try await DeviceRig.withSteppedClock(Self.device(sending: pieces)) { rig in
            try await rig.peripheral.connect()
            let link = try await FramedLink(
                rig.peripheral, format: FrameFormat(start: [0xAA, 0x55], patience: .seconds(3600)))
            var events = link.events().makeAsyncIterator()
            var bytes = try await rig.peripheral.characteristic(
                AttributeKey(SerialService.isscTransparentUART.service),
                AttributeKey(SerialService.isscTransparentUART.transmit)
            ).notifications().makeAsyncIterator()
            _ = try await bytes.next()
            await rig.peripheral.disconnect()
            // The end of the stream reports the pending bytes as dropped.
            var said: [FrameReader.Event] = []
            for _ in 0..<3 { if let event = try? await events.next() { said.append(event) } }
            #expect(said == [.dropped(.init(count: 3, first: [0xAA, 0x55, 0x82], reason: .timeout))])
        }
    }
}
