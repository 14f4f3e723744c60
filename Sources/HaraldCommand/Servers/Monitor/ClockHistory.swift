import BluetoothBackend
import Foundation

/// The former clocks of devices whose clock was set before all their stored readings were received.
///
/// The rest of these readings arrives in a later visit, when the old clock can no longer be read: after a lost link, a
/// full disk, or in the next run of the program. With a directory, the history is on the disk before a clock is set.
actor ClockHistory {
    /// The form in the file.
    private struct Entry: Codable {
        var before: Double?
        /// In seconds since 1970.
        var setAt: Double
        var setTo: Double
    }

    private var entries: [String: Entry] = [:]
    private let file: PrivateFile?
    /// The maximum number of devices. The entry of the clock that was set first is removed for another one.
    private static let most = 1000

    /// Creates a history in memory, or in the file `clocks.json` of a directory.
    /// - Throws: ``ProgramError`` if the file cannot be read.
    init(directory: String? = nil) throws {
        guard let directory else {
            file = nil
            return
        }
        let file = PrivateFile(directory: directory, name: "clocks.json")
        self.file = file
        guard FileManager.default.fileExists(atPath: directory + "/clocks.json") else { return }
        do {
            entries = try JSONDecoder().decode([String: Entry].self, from: Data(file.contents()))
        } catch is DecodingError {
            throw ProgramError(.failed, "\(directory)/clocks.json is damaged; remove it")
        } catch {
            throw ProgramError(.failed, "\(error)")
        }
    }

    /// Returns the offsets of a device whose stored readings were not all received.
    func offsets(of device: ClockOwner) -> ClockOffsets? {
        key(of: device).flatMap { entries[$0] }.map { entry in
            ClockOffsets(before: entry.before, set: (Date(timeIntervalSince1970: entry.setAt), entry.setTo))
        }
    }

    /// Records the offsets of a clock that is to be set.
    /// - Throws: ``ProgramError`` if the file cannot be written. The clock must not be set then.
    func remember(_ clock: ClockOffsets, of device: ClockOwner) throws {
        guard let set = clock.set else { return }
        let former = entries
        if let key = key(of: device) {
            entries[key] = nil
        } else if entries.count >= Self.most,
            let oldest = entries.min(by: { $0.value.setAt < $1.value.setAt })?.key
        {
            entries[oldest] = nil
        }
        entries[device.key] = Entry(before: clock.before, setAt: set.at.timeIntervalSince1970, setTo: set.to)
        do { try write() } catch {
            entries = former
            throw error
        }
    }

    /// Removes the entry of a device, whose stored readings were received. An entry that stays because the disk is full
    /// is replaced when the clock is set again.
    func forget(_ device: ClockOwner) {
        guard let key = key(of: device) else { return }
        entries[key] = nil
        try? write()
    }

    /// Returns the key of the entry of a device; nil if there is none. The address of the device may have been a
    /// private one when the entry was made, or may be one now. The entry is then found by the other properties, unless
    /// several entries have them.
    private func key(of device: ClockOwner) -> String? {
        if entries[device.key] != nil { return device.key }
        guard device.address == nil else { return entries[device.name] == nil ? nil : device.name }
        let keys = entries.keys.filter { $0.hasPrefix(device.name + ClockOwner.separator) }
        return keys.count == 1 ? keys[0] : nil
    }

    private func write() throws {
        guard let file else { return }
        do {
            let bytes = try JSONEncoder().encode(entries)
            try file.whileLocked { () throws(PrivateFile.Failure) in try file.replace(with: [UInt8](bytes)) }
        } catch {
            throw ProgramError(.failed, "\(error)")
        }
    }
}
