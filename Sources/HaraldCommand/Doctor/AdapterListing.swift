import BluetoothRuntime
import Explorer
import Harald

#if canImport(BlueZBackend)
import BlueZBackend
#endif

/// An adapter in the output of `harald adapters`.
struct AdapterListing: Hashable, Sendable {
    enum State: String, Hashable, Sendable {
        /// Managed by BlueZ and powered on.
        case on
        /// Managed by BlueZ and powered off.
        case off
        /// Unused, and accessible to this user.
        case free
        /// In use by `bluetoothd` or another process.
        case held
        /// Not accessible to this user.
        case forbidden
        /// Part of the program.
        case always
    }

    var uri: String
    var state: State
    var address: String?
    var text: String
    var features: [String]

    /// The features of this library's own host stack.
    private static let own = BackendCapabilities(rawValue: 0x1FF).names

    /// All adapters: those of BlueZ, then the controllers themselves, then the virtual radio.
    static func all(_ facts: MachineFacts, blueZ: [AdapterListing]) -> [AdapterListing] {
        let powered = Set(blueZ.filter { $0.state == .on }.map(\.uri))
        let controllers = facts.controllers.map { controller in
            let isHeld = powered.contains("bluez:\(controller.name)")
            return AdapterListing(
                uri: "hci:\(controller.name.dropFirst(3))",
                state: !facts.mayAdministrateNetwork ? .forbidden : isHeld ? .held : .free, address: nil,
                text: "the controller itself" + (controller.driver.map { ", \($0)" } ?? "")
                    + (isHeld ? "; held by bluetoothd" : ""), features: own)
        }
        let virtual = AdapterListing(
            uri: "virtual:", state: .always, address: nil, text: "the virtual radio, without hardware", features: own)
        return blueZ + controllers + [virtual]
    }

    /// The adapters of BlueZ; empty if it does not answer, which `harald doctor` explains.
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

    /// A table with one line for each adapter. If a width is given, the features are listed below each adapter and all
    /// lines fit the width.
    static func lines(_ adapters: [AdapterListing], width: Int?, coloured: Bool = false) -> [String] {
        var table = TextTable([
            .init(title: "ADAPTER"), .init(title: "STATE"), .init(title: "ADDRESS"),
            .init(title: "DESCRIPTION", leastWidth: 12),
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
