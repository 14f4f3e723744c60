import BluetoothTransport
import Foundation

/// The adapter selected by `--adapter` or `HARALD_ADAPTER`.
enum AdapterChoice: Hashable, Sendable {
    /// The adapter of the machine, or the virtual radio if there is none.
    case auto
    /// The user's air if a program offers it, else an air of this process with the default scene.
    case userAir
    /// An air of this process with a scene, given by name or by the path of a file.
    case scene(String)
    case uri(String)

    /// The adapter in messages; nil for the one that the program selects.
    var subject: String? { if case .uri(let uri) = self { "adapter \(uri)" } else { nil } }

    /// The URI of an air of this process.
    var ownAir: String { if case .scene(let scene) = self { "virtual:\(scene)" } else { "virtual:default" } }

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
