import BluetoothModel
import Logging

extension Logger {
    /// Creates a logger whose metadata contains the adapter.
    package init(label: String, adapter: AdapterInfo) {
        self.init(label: label)
        self[metadataKey: "adapter"] = "\(adapter.uri)"
    }
}
