/// The address that a local device uses in advertising and on links.
public enum OwnAddress: Hashable, Sendable {
    /// The adapter's choice: the public address for the first device, random static ones for the others.
    case automatic
    /// The adapter's public address.
    case `public`
    /// A random static address chosen by the caller.
    case randomStatic(BluetoothAddress)
}
