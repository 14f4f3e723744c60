import Logging

extension Logger {
    /// Creates the logger of an adapter, which the metadata of its events names.
    package init(label: String, adapter: AdapterInfo) {
        self.init(label: label)
        self[metadataKey: "adapter"] = "\(adapter.uri)"
    }
}
