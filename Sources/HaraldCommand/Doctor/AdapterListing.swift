import BluetoothRuntime
import Explorer
import Harald

#if canImport(BlueZBackend)
import BlueZBackend
#endif

/// One adapter as `harald adapters` lists it.
struct AdapterListing: Hashable, Sendable {
    enum State: String, Hashable, Sendable {
        /// BlueZ has it, switched on.
        case on
        /// BlueZ has it, switched off.
        case off
        /// Nobody has it, and this user may take it.
        case free
        /// `bluetoothd` or somebody else has it.
        case held
        /// This user may not take it.
        case forbidden
        /// It is part of the program.
        case always
    }

    var uri: String
    var state: State
    var address: String?
    var text: String
    var features: [String]

    /// What a host stack of our own can do.
    private static let own = BackendCapabilities(rawValue: 0x1FF).names

    /// Those of BlueZ, then the controllers themselves, then the virtual radio.
    static func all(_ facts: MachineFacts, blueZ: [AdapterListing]) -> [AdapterListing] {
        let powered = Set(blueZ.filter { $0.state == .on }.map(\.uri))
        let controllers = facts.controllers.map { controller in
            let isHeld = powered.contains("bluez:\(controller.name)")
            return AdapterListing(
                uri: "hci:\(controller.name.dropFirst(3))",
                state: !facts.mayAdministrateNetwork ? .forbidden : isHeld ? .held : .free, address: nil,
                text: "the controller itself" + (controller.driver.map { ", \($0)" } ?? "")
                    + (isHeld ? "; bluetoothd has it" : ""), features: own)
        }
        let virtual = AdapterListing(
            uri: "virtual:", state: .always, address: nil, text: "the virtual radio, without hardware", features: own)
        return blueZ + controllers + [virtual]
    }

    /// BlueZ's; none where it does not answer, which `harald doctor` explains.
    static func blueZ() async -> [AdapterListing] {
        #if canImport(BlueZBackend)
        let found = (try? await BlueZAdapters().list()) ?? []
        return found.map { adapter in
            AdapterListing(
                uri: "bluez:\(adapter.name)", state: adapter.isPowered ? .on : .off, address: adapter.address?.text,
                text: "BlueZ" + (adapter.version.map { " \($0)" } ?? "") + ", '\(adapter.alias)'",
                features: BlueZAdapters.capabilities.names)
        }
        #else
        return []
        #endif
    }

    /// A table with a line an adapter; with a width its features stand under it, and no line has more columns.
    static func lines(_ adapters: [AdapterListing], width: Int?, coloured: Bool = false) -> [String] {
        var table = TextTable([
            .init(title: "ADAPTER"), .init(title: "STATE"), .init(title: "ADDRESS"),
            .init(title: "WHAT IT IS", leastWidth: 12),
        ])
        if width == nil { table.columns.append(.init(title: "FEATURES")) }
        table.rows = adapters.map { adapter in
            let cells = [adapter.uri, adapter.state.rawValue, adapter.address ?? "-", adapter.text]
            return (cells + (width == nil ? [adapter.features.joined(separator: " ")] : [])).map { .init($0) }
        }
        guard let width else { return table.lines(width: nil) }
        let (title, rows) = table.blocks(width: width, coloured: coloured, wraps: true)
        let indent = "    "
        return [title]
            + zip(adapters, rows).flatMap { adapter, lines in
                lines
                    + TerminalText.wrap(
                        indent + adapter.features.joined(separator: ", "), to: width, indent: indent
                    ).map { coloured ? Style.dim.apply($0, true) : $0 }
            }
    }

    var json: JSONValue {
        .object([
            "uri": .string(uri), "state": .string(state.rawValue), "address": .optional(address), "text": .string(text),
            "features": .array(features.map { .string($0) }),
        ])
    }
}
