import BluetoothBackend
import BluetoothModel
import BluetoothTransport
import HostBackend

extension AdapterOptions {
    /// Creates an adapter with this package's host stack and these options on a channel to a controller. To be called
    /// on the loop.
    /// - Parameters:
    ///   - isVirtual: true for a virtual radio, for which `automatic` stores nothing.
    ///   - role: the role for which a static random address is derived from the store; nil for the controller's own
    ///     address.
    /// - Throws: ``TransportError`` if the capture file cannot be created.
    package func hostAdapter(
        on channel: any HCIChannel, _ info: AdapterInfo, isVirtual: Bool, role: String?
    ) throws(TransportError) -> HostAdapter {
        let tapped = captureTap.map { CapturingChannel(channel, tap: $0) } ?? channel
        let writer = try captureFile.map { path throws(TransportError) in
            try BtsnoopWriter(path: path, isPrivate: capturesKeys)
        }
        let adapter = HostAdapter(
            channel: writer.map { CapturingChannel(tapped, writer: $0, includesKeys: capturesKeys) } ?? tapped,
            info: info,
            configuration: HostRadioConfiguration(
                directory: storage.directory(isVirtual: isVirtual), address: address, role: role,
                keepsBondedAddress: addressRole != nil, privateAddressRotationInterval: privateAddressRotationInterval))
        if let writer { adapter.logError(of: writer) }
        return adapter
    }

    /// Checks the stored bonds before an adapter is opened.
    /// - Throws: ``RadioError`` if they cannot be read.
    package func checkBonds(isVirtual: Bool) throws(RadioError) {
        try HostAdapter.checkBonds(in: storage.directory(isVirtual: isVirtual))
    }
}
