import ArgumentParser
import Harald

/// The device of a command that takes no other arguments.
struct OneDevice: ParsableArguments, Sendable {
    @Argument(
        help: ArgumentHelp("The device; see 'harald --help'.", valueName: "DEVICE"),
        completion: Completions.devices)
    var words: [String] = []

    @OptionGroup var options: DeviceOptions

    func validate() throws {
        let rest = try options.split(words, needing: []).rest
        if !rest.isEmpty { throw ValidationError("unexpected: \(rest.joined(separator: " "))") }
    }

    /// Scans for the device; includes devices that are not connectable if `includesBeacons` is true.
    /// - Throws: ``ProgramError`` if no device or several devices match, or an error of the scan.
    func find(on central: Central, within timeout: Duration, includesBeacons: Bool = false) async throws -> ScanResult {
        let selector = try options.split(words, needing: []).selector
        return try await options.find(selector, on: central, within: timeout, includesBeacons: includesBeacons)
    }

    /// Returns the device to connect to, already connected by another program or found by a scan.
    /// - Throws: as ``find(on:within:includesBeacons:)``.
    func peripheral(on central: Central, within timeout: Duration) async throws -> Peripheral {
        try await options.peripheral(try options.split(words, needing: []).selector, on: central, within: timeout)
    }
}
