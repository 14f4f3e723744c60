import Explorer
import Harald
import Synchronization

/// Prints each device of a scan once, for pipes and files.
final class ScanLines: Sendable {
    /// The interval at which pending devices are checked.
    private static let pause = Duration.milliseconds(250)

    private let devices: Mutex<FoundDevices>
    private let show: @Sendable (DeviceRow) -> Void

    /// - Parameters:
    ///   - waits: true if devices are scanned actively, so that a scan response follows the advertisement.
    ///   - show: receives each device; calls never overlap.
    init(waits: Bool, show: @escaping @Sendable (DeviceRow) -> Void) {
        devices = Mutex(FoundDevices(waits: waits))
        self.show = show
    }

    /// The number of devices found.
    var count: Int { devices.withLock { $0.count } }

    /// Consumes a scan.
    /// - Throws: the error of the scan.
    func run(_ scan: Scan) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await found in scan { self.showRows { $0.note(DeviceRow(found), at: .now) } }
            }
            group.addTask {
                while true {
                    try await Task.sleep(for: Self.pause)
                    self.showRows { $0.due(at: .now) }
                }
            }
            defer { group.cancelAll() }
            try await group.next()
            showRows { $0.rest() }
        }
    }

    /// Shows the rows that `take` returns. Under the lock, so that lines follow the order in which devices are found.
    private func showRows(_ take: (inout FoundDevices) -> [DeviceRow]) {
        devices.withLock { devices in for row in take(&devices) { show(row) } }
    }
}
