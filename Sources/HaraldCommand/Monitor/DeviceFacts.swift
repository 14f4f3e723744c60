import BluetoothProfiles
import Foundation
import Harald

/// What is known of a health device beyond its name: what its Device Information says, and how its clock goes.
struct DeviceFacts: Sendable {
    /// Serial Number String (2A25).
    var serial: String?
    /// System ID (2A23) in hexadecimal, as it was sent.
    var systemID: String?
    /// Model Number String (2A24).
    var model: String?
    /// Its clock.
    var clock = ClockOffsets()
    /// Start of the session of a continuous glucose monitor, on its clock.
    var sessionStart: DateTime?
}

/// The device's clock, read as UTC, minus true UTC, before and after the clock was set.
struct ClockOffsets: Sendable, Equatable {
    /// Seconds; nil where the clock could not be read.
    var before: Double?
    /// When the clock was set, and the time that it was set to, read as UTC; nil where it was not set.
    var set: (at: Date, to: Double)?

    static func == (left: Self, right: Self) -> Bool {
        left.before == right.before && left.set?.at == right.set?.at && left.set?.to == right.set?.to
    }

    /// The offset that holds for a reading.
    ///
    /// What was measured before the clock was set carries the old time. Such a time lies outside of what the clock has shown
    /// since, unless the clock was fast; then what the device had stored counts as old.
    /// - Parameters:
    ///   - time: the device's time of the reading.
    ///   - isStored: the device had kept the reading; nil where nobody knows.
    func offset(of time: DateTime?, isStored: Bool?, now: Date) -> Double? {
        guard let set else { return before }
        let after = (set.to - set.at.timeIntervalSince1970).rounded()
        guard let shown = time?.secondsSince1970 else { return isStored == true ? before : after }
        // A second for the resolution of the clock, and one for the way.
        let sinceSet = set.to - 2...set.to + max(0, now.timeIntervalSince(set.at)) + 2
        guard sinceSet.contains(shown), isStored != true || before == after else { return before }
        return after
    }
}

extension DateTime {
    /// Seconds since 1970 of the time, read as UTC; nil where a part of it is unknown.
    var secondsSince1970: Double? { secondsSince2000.map { Double($0) + 946_684_800 } }
}

extension Peripheral {
    /// Reads what identifies the device, where it says so. What cannot be read is not known.
    func facts(patience: Duration) async throws(BluetoothError) -> DeviceFacts {
        var facts = DeviceFacts()
        guard let information = services.first(where: { $0.uuid == "180A" }) else { return facts }
        try await information.discoverCharacteristics(timeout: patience)
        facts.serial = try await text(of: SerialNumber.uuid, in: information, patience)
        facts.model = try await text(of: "2A24", in: information, patience)
        facts.systemID = try await known(SystemID.uuid, in: information, patience)?.hexText(separator: "")
        return facts
    }

    private func text(
        of uuid: BluetoothUUID, in service: Service, _ patience: Duration
    ) async throws(BluetoothError) -> String? {
        guard let bytes = try await known(uuid, in: service, patience) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines.union(.controlCharacters))
        return text.isEmpty ? nil : text
    }

    /// The value of a characteristic that can be read; nil where there is none, or the device refuses.
    func known(
        _ uuid: BluetoothUUID, in service: Service, _ patience: Duration
    ) async throws(BluetoothError) -> [UInt8]? {
        guard let characteristic = service.characteristics.first(where: { $0.uuid == uuid }),
            characteristic.properties.contains(.read)
        else { return nil }
        do throws(BluetoothError) {
            return try await characteristic.read(timeout: patience)
        } catch {
            guard isConnected, !Task.isCancelled else { throw error }
            return nil
        }
    }

    /// The offset of the device's clock, in seconds; nil where it has none that can be read, or it was never set.
    func clockOffset(patience: Duration) async throws(BluetoothError) -> Double? {
        for service in services {
            for uuid in [CurrentTime.uuid, DateTimeValue.uuid] {
                guard let bytes = try await known(uuid, in: service, patience) else { continue }
                let time =
                    uuid == CurrentTime.uuid
                    ? (try? CurrentTime(bytes: bytes))?.time : (try? DateTimeValue(bytes: bytes))?.time
                if let shown = time?.secondsSince1970 { return (shown - Date().timeIntervalSince1970).rounded() }
            }
        }
        return nil
    }
}
