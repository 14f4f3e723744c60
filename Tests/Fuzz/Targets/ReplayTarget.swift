import BluetoothModel
import VirtualDevices
import Workbench

extension FuzzTarget {
    /// Capture files as devices.
    ///
    /// Invariant: the file of each device that discoveries describe can be read.
    static let replay = FuzzTarget(
        "replay", "devices of capture files", maximumLength: 1024,
        seeds: {
            let changed = DissectSeeds.packets + ReplaySeeds.changed
            return [
                DissectSeeds.snoop(DissectSeeds.packets), DissectSeeds.snoop(changed),
                DissectSeeds.snoop(ReplaySeeds.last),
            ]
        },
        run: { (view) throws(Finding) in
            var reader = CaptureReader()
            for record in read(view.array).0 { reader.add(record) }
            for device in reader.devices {
                let text = device.replay(database: nil).file.yaml
                do throws(DeviceFileError) {
                    _ = try DeviceFile(yaml: text, file: "replay")
                } catch {
                    throw Finding("\(text) cannot be read: \(error)")
                }
            }
        })
}

/// Links of a device.
private enum ReplaySeeds {
    /// A link on which the service ends earlier, and is followed by another one.
    static let changed: [[UInt8]] = [
        DissectSeeds.packets[0], request([0x10, 1, 0, 0xFF, 0xFF, 0, 0x28]),
        answer([0x11, 6, 1, 0, 3, 0, 0x0F, 0x18, 4, 0, 0xFF, 0xFF, 0xF0, 0xFF]),
        request([0x08, 4, 0, 0xFF, 0xFF, 3, 0x28]),
        answer([0x09, 7, 5, 0, 0x12, 6, 0, 0xF1, 0xFF]), request([0x12, 7, 0, 1, 0]), answer([0x13]),
        answer([0x1B, 6, 0, 7]), request([0x0C, 6, 0, 0, 0]), answer([0x0D, 7]), request([0x16, 6, 0, 0, 0, 1]),
        answer([0x17, 6, 0, 0, 0, 1]), request([0x18, 1]), answer([0x19]),
    ]
    /// A characteristic with the last handle.
    static let last: [[UInt8]] = [
        DissectSeeds.packets[0], request([0x10, 1, 0, 0xFF, 0xFF, 0, 0x28]),
        answer([0x11, 6, 0xF0, 0xFF, 0xFF, 0xFF, 0x0D, 0x18]), request([0x08, 0xF0, 0xFF, 0xFF, 0xFF, 3, 0x28]),
        answer([0x09, 7, 0xFE, 0xFF, 0x12, 0xFF, 0xFF, 0x37, 0x2A]),
    ]

    private static func request(_ bytes: [UInt8]) -> [UInt8] {
        var packet = DissectSeeds.frame(4, bytes)
        packet[2] = 0
        return packet
    }
    private static func answer(_ bytes: [UInt8]) -> [UInt8] { DissectSeeds.frame(4, bytes) }
}
