import BluetoothBackend
import BluetoothModel
import BluetoothRuntime

/// An open adapter.
struct OpenAdapter: Sendable {
    /// The options that apply to all leases.
    enum Settings: Sendable {
        /// This package's host stack, with the options that it was opened with.
        case host(AdapterOptions, isVirtual: Bool)
        /// The operating system's service, which has settings of its own.
        case system
        /// A backend of the caller, or an absent adapter.
        case unknown
    }

    let backend: LoopBound<any RadioBackend>
    let settings: Settings

    init(_ backend: LoopBound<any RadioBackend>, _ settings: Settings) {
        self.backend = backend
        self.settings = settings
    }

    /// To be called on the backend's loop.
    init(_ backend: any RadioBackend, _ settings: Settings) {
        self.init(LoopBound(confined: backend, loop: backend.loop), settings)
    }

    /// Returns the reason why a further lease with `options` is refused; nil if it is possible.
    func conflict(with options: AdapterOptions) -> RadioError? {
        switch settings {
        case .host(let opened, let isVirtual): options.conflict(with: opened, isVirtual: isVirtual)
        case .system: options.systemConflict
        case .unknown: nil
        }
    }

    /// Closes the adapter and returns once it is released.
    func close() async {
        await withCheckedContinuation { continuation in
            backend.loop.execute { [backend] in backend.value.close { continuation.resume() } }
        }
    }
}
