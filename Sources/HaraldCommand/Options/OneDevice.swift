#if Programs
import ArgumentParser
import Harald

/// The device of a command that needs nothing else on its command line.
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

    /// Looks for it; for one that accepts no connections too where `includesBeacons` is true.
    func find(on central: Central, within timeout: Duration, includesBeacons: Bool = false) async throws -> Discovery {
        let selector = try options.split(words, needing: []).selector
        return try await options.find(selector, on: central, within: timeout, includesBeacons: includesBeacons)
    }

    /// The device to connect to, connected for another program or heard.
    func peripheral(on central: Central, within timeout: Duration) async throws -> Peripheral {
        try await options.peripheral(try options.split(words, needing: []).selector, on: central, within: timeout)
    }
}
#endif
