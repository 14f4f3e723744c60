import ArgumentParser
import BluetoothProfiles
import Harald
import VirtualDevices

/// Shell completions. `harald --generate-completion-script bash|zsh|fish` writes the script.
enum Completions {
    /// Devices of earlier runs, by name, or by address if they have none. If the adapter is a scene, its devices.
    static let devices = CompletionKind.custom { words, _, _ in knownDevices(words) }

    /// A device, followed by attributes; with --pick only attributes.
    static let deviceAndPaths = CompletionKind.custom { words, index, _ in Self.words(words, at: index) }

    /// The completions for the word at `index` of a command on attributes of a device.
    static func words(_ words: [String], at index: Int) -> [String] {
        isDevice(words, at: index) ? knownDevices(words) : paths()
    }

    /// Adapters, the scenes of the virtual radio included.
    static let adapters = CompletionKind.custom { _, _, _ in
        ["auto", "virtual:"] + BuiltIn.scenes.keys.sorted().map { "virtual:\($0)" }
            + ["tcp:", "tcp-server:", "unix:", "seq:", "serial:", "hci:0", "bluez:hci0"]
    }

    /// Scenes that are part of the program.
    static let scenes = CompletionKind.custom { _, _, _ in BuiltIn.scenes.keys.sorted() }

    /// Devices and scenes that are part of the program.
    static let twins = CompletionKind.custom { _, _, _ in BuiltIn.deviceNames + BuiltIn.scenes.keys.sorted() }

    static let services = CompletionKind.custom { _, _, _ in uuids(.service) }

    static let characteristics = CompletionKind.custom { _, _, _ in uuids(.characteristic) }

    /// Characteristics whose values can be decoded.
    static let decodable = CompletionKind.custom { _, _, _ in Profiles.types.map { "\($0.uuid)" }.sorted() }

    private static func uuids(_ kind: AssignedNumbers.Kind) -> [String] {
        AssignedNumbers.search("", kind: kind).map { "\($0.uuid)" }
    }

    /// Services with their usual characteristics whose values can be decoded.
    private static func paths() -> [String] {
        let usual: [(BluetoothUUID, [BluetoothUUID])] = [
            ("1800", ["2A00", "2A01", "2A04"]), ("1808", ["2A18", "2A34", "2A51", "2A52"]),
            ("1809", ["2A1C", "2A1D", "2A1E", "2A21"]),
            ("180A", ["2A23", "2A24", "2A25", "2A26", "2A27", "2A28", "2A29", "2A50"]),
            ("180D", ["2A37", "2A38", "2A39"]), ("180F", ["2A19"]), ("1810", ["2A35", "2A36", "2A49"]),
            ("1816", ["2A5B", "2A5C", "2A5D"]), ("1814", ["2A53", "2A54"]), ("181A", ["2A6D", "2A6E", "2A6F"]),
            ("181B", ["2A9B", "2A9C"]), ("181D", ["2A9D", "2A9E"]), ("181F", ["2AA7", "2AA8", "2AA9", "2AAB"]),
            ("1822", ["2A5E", "2A5F", "2A60"]), ("1805", ["2A2B", "2A0F", "2A14"]),
        ]
        return usual.flatMap { service, characteristics in characteristics.map { "\(service)/\($0)" } }
    }

    private static func knownDevices(_ words: [String]) -> [String] {
        let option = words.firstIndex(of: "--adapter").flatMap { index in
            words.indices.contains(index + 1) ? words[index + 1] : nil
        }
        if case .scene(let name) = try? AdapterChoice(option), let scene = try? SceneLoader.scene(name) {
            return scene.devices.map(\.device.name)
        }
        var names: Set<String> = []
        for device in (try? SavedBonds.knownDevices()) ?? [] {
            if let name = device.name ?? device.address?.text { names.insert(name) }
        }
        return names.sorted()
    }

    /// Returns true if the word at `index` is the device: the first word after the command that is not an option.
    private static func isDevice(_ words: [String], at index: Int) -> Bool {
        guard !words.contains(where: { $0.hasPrefix("--pick") }) else { return false }
        var before = words.prefix(max(0, index)).dropFirst(2)
        while let word = before.popFirst() {
            // All options of these commands that take a value are listed here; the others are flags.
            if !word.hasPrefix("-") { return false }
            if ["--adapter", "--timeout", "--store", "--capture", "--service", "--passkey"].contains(word) {
                before = before.dropFirst()
            }
        }
        return true
    }
}
