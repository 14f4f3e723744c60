import BluetoothBackend

#if canImport(BlueZBackend)
import BlueZBackend
#elseif canImport(Darwin)
import AppleBackend
#endif

/// The operating system's own Bluetooth service.
enum SystemService {
    /// Its adapters; nil if there is no backend for it.
    static var adapters: (any SystemAdapters)? {
        #if canImport(BlueZBackend)
        BlueZAdapters()
        #elseif canImport(Darwin)
        AppleAdapters()
        #else
        nil
        #endif
    }
}
