import BluetoothTransport
import Foundation

/// What `--adapter` and `HARALD_ADAPTER` ask for.
enum AdapterChoice: Hashable, Sendable {
    /// The machine's adapter, else the virtual radio.
    case auto
    /// The user's air where it lives, else an air of the program's own with the default scene.
    case userAir
    /// An air of the program's own with a scene: the name of one, or the path of a file.
    case scene(String)
    /// An adapter by its URI.
    case uri(String)

    init(_ option: String?, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        let variable = environment["HARALD_ADAPTER"].flatMap { $0.isEmpty ? nil : $0 }
        guard let text = option ?? variable else {
            self = .auto
            return
        }
        let uri: AdapterURI
        do {
            uri = try AdapterURI(text)
        } catch {
            throw ProgramError(.usage, "\(error)" + (option == nil ? " (from HARALD_ADAPTER)" : ""))
        }
        switch uri {
        case .auto: self = .auto
        case .virtual(nil): self = .userAir
        case .virtual(let scene?): self = .scene(scene)
        default: self = .uri(text)
        }
    }
}
