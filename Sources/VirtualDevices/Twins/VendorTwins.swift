import BluetoothProfiles
import Harald
import HaraldDevices
import Synchronization

extension Twins {
    private static func port(_ name: String, _ program: DeviceProgramKind) -> DeviceFile {
        let uart = SerialService.isscTransparentUART
        var file = DeviceFile(
            name: name,
            // The service is not advertised, as on the real device: a scan for it does not find the device.
            advertising: advertising([]),
            services: [
                DeviceService(
                    uart.service,
                    [
                        DeviceCharacteristic(uart.transmit, .notify),
                        DeviceCharacteristic(uart.receive, [.write, .writeWithoutResponse]),
                    ])
            ])
        file.program = program
        return file
    }

    /// The vendor's scale, with three stored readings and a new one every 20 s.
    static var vendorScale: DeviceFile {
        port(
            "eBody-Scale",
            DeviceProgramKind("vendor-scale") { stage in
                VendorTwin(stage: stage) { number, time in scaleReading(number, at: time) }
            })
    }

    /// The vendor's blood pressure monitor, with three stored readings and a new one every 20 s.
    static var vendorBloodPressureMonitor: DeviceFile {
        port(
            "eBlood-Pressure",
            DeviceProgramKind("vendor-blood-pressure") { stage in
                VendorTwin(stage: stage) { number, time in bloodPressureReading(number, at: time) }
            })
    }

    static func scaleReading(_ number: UInt16, at time: DateTime) -> VendorScaleReading {
        VendorScaleReading {
            ($0.number, $0.time, $0.user) = (number, time, 1)
            $0.weight = ProfileNumber(Int64(7350 + number % 9 * 5), exponent: -2)
            $0.bodyFat = ProfileNumber(Int64(186 + number % 4), exponent: -1)
            $0.impedance = 502 + number % 6
        }
    }

    static func bloodPressureReading(_ number: UInt16, at time: DateTime) -> VendorBloodPressureReading {
        VendorBloodPressureReading {
            ($0.number, $0.time) = (number, time)
            $0.systolic = 119 + number * 5 % 14
            $0.diastolic = 77 + number * 3 % 9
            $0.pulseRate = UInt8(64 + number % 11)
            $0.isIrregular = number % 5 == 4
        }
    }
}

/// Sends frames over the transparent UART as inexpensive devices do: split, concatenated and with noise between them.
final class VendorTwin<Reading: VendorReading>: DeviceProgram {
    private struct State: Sendable {
        var reader = FrameReader(VendorProtocol.format)
        var stored: [Reading] = []
        var next: UInt16 = 4
    }

    private let stage: DeviceStage
    private let make: @Sendable (UInt16, DateTime) -> Reading
    private let state: Mutex<State>

    init(stage: DeviceStage, make: @escaping @Sendable (UInt16, DateTime) -> Reading) {
        self.stage = stage
        self.make = make
        let now = stage.clock
        var start = State()
        start.stored = (1...3).map { make(UInt16($0), now.adding(seconds: Int64($0 - 4) * 86400)) }
        state = Mutex(start)
    }

    func write(_ value: [UInt8], to characteristic: BluetoothUUID, by central: PeripheralID) async throws -> Bool {
        guard characteristic == SerialService.isscTransparentUART.receive else { return false }
        let events = state.withLock { $0.reader.read(value) }
        for case .frame(let frame) in events { take(frame) }
        return true
    }

    private func take(_ frame: Frame) {
        switch VendorProtocol.Command(rawValue: frame.header.first ?? 0) {
        case .setTime:
            if let time = try? DateTimeValue(bytes: frame.payload) { stage.clock = time.time }
            stage.run("time") { [weak self] in try await self?.transmit(Self.frame(.timeWasSet)) }
        case .sendReadings:
            stage.run("readings") { [weak self, stage] in
                try await self?.sendStored()
                while true {
                    try await stage.wait(.seconds(20))
                    try await self?.measure()
                }
            }
        case .acknowledge where frame.payload.count == 2:
            let number = UInt16(frame.payload[0]) | UInt16(frame.payload[1]) << 8
            state.withLock { $0.stored.removeAll { $0.number == number } }
        default: break
        }
    }

    private func sendStored() async throws {
        let stored = state.withLock { $0.stored }
        // Noise, as from a module that wakes up, followed by all readings at once.
        var bytes: [UInt8] = [0x00, 0xAA, 0x13]
        for reading in stored { bytes += Self.frame(.reading, Twins.bytes(reading)) }
        try await transmit(bytes + Self.frame(.noMoreReadings))
    }

    private func measure() async throws {
        let time = stage.clock
        let reading = state.withLock { state in
            let reading = make(state.next, time)
            state.next += 1
            state.stored.append(reading)
            return reading
        }
        try await transmit(Self.frame(.reading, Twins.bytes(reading)))
    }

    private static func frame(_ command: VendorProtocol.Command, _ payload: [UInt8] = []) -> [UInt8] {
        VendorProtocol.format.frame(header: [command.rawValue], payload: payload)
    }

    /// Sends bytes in notifications of 20 bytes, regardless of frame boundaries.
    private func transmit(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            try Task.checkCancellation()
            await stage.send(Array(rest.prefix(20)), from: SerialService.isscTransparentUART.transmit)
            rest = rest.dropFirst(20)
        }
    }

    func disconnected(_ central: PeripheralID) async {
        stage.cancel("readings")
        state.withLock { $0.reader = FrameReader(VendorProtocol.format) }
    }
}
