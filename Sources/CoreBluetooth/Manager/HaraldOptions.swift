import Adapters
import Foundation
import Synchronization

// Options that Apple's API does not have: the adapter of a manager, and the location of its stored data.

/// The source of an adapter, with which tests and programs on Linux choose one.
public typealias AdapterSource = Adapters.AdapterSource

/// The adapter of the manager: a `String` with a URI ("hci:0", "tcp:127.0.0.1:9001", "virtual:"), or an
/// `AdapterSource` of a `VirtualRadio`. The default is ``HaraldDefaults/adapter``, then the environment variable
/// `HARALD_ADAPTER`, then the first adapter that the program may use.
public let HaraldManagerOptionAdapterKey = "HaraldManagerOptionAdapter"

/// The directory of the manager's persistent data, a `String` with its path. The default is
/// ``HaraldDefaults/directory``, then the user's data directory; on the virtual radio nothing is stored by default.
public let HaraldManagerOptionDirectoryKey = "HaraldManagerOptionDirectory"

/// The ``HaraldPairing`` that answers the questions of pairing. The default is ``HaraldDefaults/pairing``, then none:
/// only devices with nothing to compare are paired.
public let HaraldManagerOptionPairingKey = "HaraldManagerOptionPairing"

/// The defaults of managers that are created without an option of their own, so that a test need not change the code
/// that it tests.
public enum HaraldDefaults {
    private static let values = Mutex<(adapter: AdapterSource?, directory: String?, pairing: HaraldPairing?)>(
        (nil, nil, nil))

    /// The adapter; nil, the initial value, for the one that `HARALD_ADAPTER` names.
    public static var adapter: AdapterSource? {
        get { values.withLock { $0.adapter } }
        set { values.withLock { $0.adapter = newValue } }
    }

    /// The answers to the questions of pairing; nil, the initial value, for none.
    public static var pairing: HaraldPairing? {
        get { values.withLock { $0.pairing } }
        set { values.withLock { $0.pairing = newValue } }
    }

    /// The directory; nil, the initial value, for the user's data directory.
    public static var directory: String? {
        get { values.withLock { $0.directory } }
        set { values.withLock { $0.directory = newValue } }
    }
}

/// The options of a manager that concern its adapter.
struct ManagerSetup: Sendable {
    var source: AdapterSource
    var options: AdapterOptions
    var restoreIdentifier: String?
    var pairing: HaraldPairing?

    init(_ options: [String: Any]?, restoreKey: String) {
        switch options?[HaraldManagerOptionAdapterKey] {
        case let source as AdapterSource: self.source = source
        case let uri as String: source = .uri(uri)
        case nil: source = HaraldDefaults.adapter ?? .uri("auto")
        case .some(let other):
            Misuse.report(
                "\(HaraldManagerOptionAdapterKey) must be a String or an AdapterSource, not \(type(of: other))")
            source = .uri("auto")
        }
        let checked = CheckedOptions(options, of: "init(delegate:queue:options:)")
        let directory =
            checked.value(HaraldManagerOptionDirectoryKey, as: String.self) ?? HaraldDefaults.directory
        self.options = AdapterOptions(storage: directory.map { .directory($0) } ?? .automatic)
        restoreIdentifier = checked.value(restoreKey, as: String.self)
        pairing = checked.value(HaraldManagerOptionPairingKey, as: HaraldPairing.self) ?? HaraldDefaults.pairing
    }

    /// The directory of the restoration state; nil if none is stored.
    var directory: String? {
        switch source {
        case .backend(let source): options.storage.directory(isVirtual: source.isVirtual)
        case .uri(let uri):
            options.storage.directory(isVirtual: Self.resolved(uri).hasPrefix("virtual:"))
        }
    }

    /// Returns the URI that `auto` stands for. The adapter is opened as `auto` all the same, so that it is shared with
    /// others that open `auto`.
    private static func resolved(_ uri: String) -> String {
        uri == "auto" ? ProcessInfo.processInfo.environment["HARALD_ADAPTER"] ?? uri : uri
    }
}
