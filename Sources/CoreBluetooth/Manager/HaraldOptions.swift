import Foundation
import HostBackend
import Synchronization

// What Apple's API has no word for: which adapter a manager uses, and where it keeps what it has to remember.

/// Which adapter the manager uses: a `String` with a URI ("hci:0", "tcp:127.0.0.1:9001", "virtual:"), or an
/// ``AdapterSource`` of a ``VirtualRadio``. Without it ``HaraldDefaults/adapter``, then the environment variable
/// `HARALD_ADAPTER`, then the first adapter that the program may use.
public let HaraldManagerOptionAdapterKey = "HaraldManagerOptionAdapter"

/// Where the manager keeps what has to last from one run to the next, a `String` with the path of a directory. Without
/// it ``HaraldDefaults/directory``, then the user's data directory; on the virtual radio nothing is kept then.
public let HaraldManagerOptionDirectoryKey = "HaraldManagerOptionDirectory"

/// Who answers what pairing asks, a ``HaraldPairing``. Without it ``HaraldDefaults/pairing``, then nobody: only devices
/// that need nothing to be compared are paired.
public let HaraldManagerOptionPairingKey = "HaraldManagerOptionPairing"

/// What managers use that are made without an option of their own, so that a test need not change the code it tests.
public enum HaraldDefaults {
    private static let values = Mutex<(adapter: AdapterSource?, directory: String?, pairing: HaraldPairing?)>(
        (nil, nil, nil))

    /// The adapter; nil, at first, for the one that `HARALD_ADAPTER` names.
    public static var adapter: AdapterSource? {
        get { values.withLock { $0.adapter } }
        set { values.withLock { $0.adapter = newValue } }
    }

    /// Who answers what pairing asks; nil, at first, for nobody.
    public static var pairing: HaraldPairing? {
        get { values.withLock { $0.pairing } }
        set { values.withLock { $0.pairing = newValue } }
    }

    /// The directory; nil, at first, for the user's data directory.
    public static var directory: String? {
        get { values.withLock { $0.directory } }
        set { values.withLock { $0.directory = newValue } }
    }
}

/// What a manager was made with, as far as it concerns its adapter.
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
            Misuse.report("\(HaraldManagerOptionAdapterKey) is a String or an AdapterSource, not \(type(of: other))")
            source = .uri("auto")
        }
        let checked = CheckedOptions(options, of: "init(delegate:queue:options:)")
        let directory =
            checked.value(HaraldManagerOptionDirectoryKey, as: String.self) ?? HaraldDefaults.directory
        self.options = AdapterOptions(storage: directory.map { .directory($0) } ?? .automatic)
        restoreIdentifier = checked.value(restoreKey, as: String.self)
        pairing = checked.value(HaraldManagerOptionPairingKey, as: HaraldPairing.self) ?? HaraldDefaults.pairing
    }

    /// Where restored state is kept; nil where nothing is.
    var directory: String? {
        switch source {
        case .virtual: options.storage.directory(isVirtual: true)
        case .backend: options.storage.directory(isVirtual: false)
        case .uri(let uri):
            options.storage.directory(isVirtual: Self.resolved(uri).hasPrefix("virtual:"))
        }
    }

    /// What `auto` stands for. The adapter is opened as `auto` all the same, so that it is shared with who says that.
    private static func resolved(_ uri: String) -> String {
        uri == "auto" ? ProcessInfo.processInfo.environment["HARALD_ADAPTER"] ?? uri : uri
    }
}
