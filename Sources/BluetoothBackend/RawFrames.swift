import BluetoothModel

/// The frames of a link below the protocols, for tests of the device at the other end. Confined to the loop.
public protocol RawFrames: AnyObject {
    /// Sets the receiver of frames, by channel identifier, and of the end of the link. Frames that arrived before are
    /// passed at once. `ended` is called once, last.
    func attach(receive: @escaping (UInt16, ByteView) -> Void, ended: @escaping (RadioError) -> Void)
    /// Sets whether the host stack leaves the security manager protocol to the receiver. The attribute protocol always
    /// is; signalling is processed by both.
    func takeSecurity(_ isTaken: Bool)
    /// Sends a frame on a channel, whatever it contains. Returns false if the link is down.
    func send(cid: UInt16, _ payload: [UInt8]) -> Bool
}
