/// The description of an adapter.
public struct AdapterInfo: Hashable, Sendable {
    /// The URI that the adapter was opened with.
    public var uri: String
    /// The public address, if the platform shows it.
    public var address: BluetoothAddress?
    /// A short description: "HCI 5.4, Linux Foundation", "virtual radio".
    public var summary: String

    /// Creates a description.
    public init(uri: String, address: BluetoothAddress? = nil, summary: String) {
        self.uri = uri
        self.address = address
        self.summary = summary
    }
}
