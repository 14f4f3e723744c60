import ArgumentParser
import Harald

/// The options that select a device without naming it.
struct DeviceOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Choose the device automatically, in place of DEVICE: strongest, first or only. Without a value, a "
                + "numbered list is shown on the terminal to choose from.", valueName: "how"),
        completion: .list(["strongest", "first", "only"]))
    var pick: DevicePick?

    @Option(
        help: ArgumentHelp(
            "Only devices that advertise this service, by UUID or name; can be repeated.",
            valueName: "service"), completion: Completions.services)
    var service: [String] = []

    func validate() throws {
        if pick == .ask, !TerminalInput.isInteractive {
            throw ValidationError("--pick without a terminal requires strongest, first or only")
        }
        do { _ = try services() } catch { throw ValidationError("\(error)") }
    }

    /// Returns the device and the words that follow it on the command line.
    /// - Throws: `ValidationError` if a word is missing or empty.
    func split(_ words: [String], needing what: [String]) throws -> (selector: DeviceSelector, rest: [String]) {
        let names = (pick == nil ? ["DEVICE"] : []) + what
        guard words.count >= names.count else {
            throw ValidationError("missing: \(names.dropFirst(words.count).joined(separator: ", "))")
        }
        if pick != nil { return (.any, words) }
        if words[0].isEmpty {
            throw ValidationError("DEVICE is empty; --pick strongest chooses a device without a name")
        }
        return (DeviceSelector(words[0]), Array(words.dropFirst()))
    }

    /// Scans for a device; includes devices that are not connectable if `includesBeacons` is true.
    /// - Throws: ``ProgramError`` if no device or several devices match, or an error of the scan.
    func find(
        _ selector: DeviceSelector, on central: Central, within timeout: Duration, includesBeacons: Bool = false
    ) async throws -> ScanResult {
        try await DeviceFinder(
            central: central, selector: selector, pick: pick, services: services(), includesBeacons: includesBeacons,
            timeout: timeout
        ).find()
    }

    /// Returns the device to connect to: a matching one that is already connected by another program on this machine,
    /// which no longer advertises, else one that a scan finds.
    /// - Throws: as ``find(_:on:within:includesBeacons:)``.
    func peripheral(_ selector: DeviceSelector, on central: Central, within timeout: Duration) async throws
        -> Peripheral
    {
        if pick == nil {
            let connected = await central.connectedPeripherals(withServices: try services())
            let fitting = connected.first { peripheral in
                let (id, address) = (peripheral.id, peripheral.address?.text)
                return selector.fit(.init(id: id, name: peripheral.name, address: address)) == .fits
            }
            if let fitting { return fitting }
        }
        return try await find(selector, on: central, within: timeout).peripheral
    }

    /// The services that the device must advertise.
    /// - Throws: ``ProgramError`` for an unknown name.
    func services() throws -> [BluetoothUUID] { try service.map { try ServiceName.uuid($0) } }
}

extension DevicePick: ExpressibleByArgument {}
