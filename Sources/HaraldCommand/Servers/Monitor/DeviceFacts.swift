import BluetoothProfiles
import Foundation
import Harald

/// Properties of a health device beyond its name: its Device Information, and the offset of its clock.
struct DeviceFacts: Sendable {
    /// Serial Number String (2A25).
    var serial: String?
    /// System ID (2A23) in hexadecimal, as received.
    var systemID: String?
    /// Model Number String (2A24).
    var model: String?
    var clock = ClockOffsets()
    /// The start of the session of a continuous glucose monitor, on the device's clock; nil if unknown.
    var sessionStart: DateTime?
    /// The offset of that clock by the time zone of the session start, in seconds; nil if unknown.
    var sessionOffset: Double?
}

/// The device's clock, read as UTC, minus true UTC, before and after the clock was set.
struct ClockOffsets: Sendable, Equatable {
    /// In seconds; nil if the clock could not be read.
    var before: Double?
    /// The time at which the clock was set, and the time that it was set to, read as UTC; nil if it was not set.
    var set: (at: Date, to: Double)?

    static func == (left: Self, right: Self) -> Bool {
        left.before == right.before && left.set?.at == right.set?.at && left.set?.to == right.set?.to
    }

    /// The offset after the clock was set.
    private var after: Double? { self.set.map { ($0.to - $0.at.timeIntervalSince1970).rounded() } }

    /// True if the clock needed no correction.
    var isRight: Bool {
        guard let before, let after else { return false }
        return abs(before - after) <= 2
    }

    /// Returns true if the clock was not set again before `later`.
    func isContinued(by later: ClockOffsets) -> Bool {
        guard let after, let shown = later.before else { return false }
        // A clock gains or loses up to a few seconds a day. A change to summer time is a new setting.
        return abs(shown - after) <= 120
    }

    /// Returns the offset that applies to a reading.
    ///
    /// A measurement taken before the clock was set has a time of the old clock. Such a time lies outside the range
    /// that the clock has covered since it was set, unless the clock was fast; in that case stored readings count as
    /// old.
    /// - Parameters:
    ///   - time: the device's time of the reading.
    ///   - isStored: true if the device had stored the reading; nil if unknown.
    func offset(of time: DateTime?, isStored: Bool?, now: Date) -> Double? {
        // A record with a time after the present one is of an earlier epoch of the clock, before a change of the
        // battery, whose offset is unknown.
        if let before, let shown = time?.secondsSince1970 {
            let present = (set?.at ?? now).timeIntervalSince1970 + before
            let isSinceSet =
                set.map { shown >= $0.to - 2 && shown <= $0.to + now.timeIntervalSince($0.at) + 2 } ?? false
            if shown > present + 300, !isSinceSet { return nil }
        }
        guard let set, let after else { return before }
        guard let shown = time?.secondsSince1970 else { return isStored == true ? before : after }
        // A tolerance of one second for the resolution of the clock, and one for the transmission.
        let sinceSet = set.to - 2...set.to + max(0, now.timeIntervalSince(set.at)) + 2
        guard sinceSet.contains(shown) else { return before }
        // The old times of a slow clock end before this range.
        return isStored != true || before.map { $0 <= after } == true ? after : before
    }
}

extension CGMSessionStartTime {
    /// The local time of the session minus UTC, in seconds; nil if time zone or daylight saving time are unknown.
    var offset: Double? {
        guard (-48...56).contains(timeZone), dstOffset != .unknown, dstOffset.name != nil else { return nil }
        // Both are in quarters of an hour.
        return Double((Int(timeZone) + Int(dstOffset.rawValue)) * 900)
    }
}

extension DateTime {
    /// The time, read as UTC, in seconds since 1970; nil if a part of it is unknown.
    var secondsSince1970: Double? { secondsSince2000.map { Double($0) + 946_684_800 } }
}

extension Peripheral {
    /// Reads the properties that identify the device. Properties that cannot be read stay nil.
    /// - Throws: an error of discovery, or of a read if the link was lost or the task was cancelled.
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

    /// Reads a characteristic. Returns nil if it does not exist, is not readable, or the device refuses.
    /// - Throws: the error of the read if the link was lost or the task was cancelled.
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

    /// Returns the offset of the device's clock, in seconds; nil if it has no readable clock, or the clock was never
    /// set.
    /// - Throws: the error of a read if the link was lost or the task was cancelled.
    func clockOffset(patience: Duration) async throws(BluetoothError) -> Double? {
        for service in services {
            for uuid in [CurrentTime.uuid, DateTimeValue.uuid] {
                guard let bytes = try await known(uuid, in: service, patience) else { continue }
                let time =
                    uuid == CurrentTime.uuid
                    ? (try? CurrentTime(bytes: bytes))?.time : (try? DateTimeValue(bytes: bytes))?.time
                if let time, time.isValid, let shown = time.secondsSince1970 {
                    return (shown - Date().timeIntervalSince1970).rounded()
                }
            }
        }
        return nil
    }
}
