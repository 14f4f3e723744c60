import BluetoothModel

/// Access to the frames of a link below the protocols, for tests of the connected device. Confined to the loop.
package protocol RawFrames: AnyObject {
    /// Sets the receivers of frames, each with its channel identifier, and of the end of the link. Frames that arrived
    /// earlier are delivered at once. `ended` is called once, last.
    func attach(receive: @escaping (UInt16, ByteView) -> Void, ended: @escaping (RadioError) -> Void)
    /// If `isTaken` is true, the host stack does not process the Security Manager protocol. It never processes the
    /// attribute protocol of such a link. Signalling is processed by the host stack and the receiver.
    func takeSecurity(_ isTaken: Bool)
    /// Removes the bond with the device from the store, as if it had never been made; the link stays encrypted. Returns
    /// a function that stores it again, in place of a newer one; nil if there is no bond.
    func takeBond() -> (() -> Void)?
    /// Sets the properties of the keys that the host offers in pairings from now on, on all its links.
    func offer(secureConnections: Bool, keySizes: ClosedRange<UInt8>)
    /// Sends a frame on a channel; the payload is not checked. Returns false if the link is down.
    func send(cid: UInt16, _ payload: [UInt8]) -> Bool
}
