import BluetoothModel

/// Answers for a GATT server; confined to the loop.
public protocol GATTServerDelegate: AnyObject {
    /// A client reads a value that the server does not keep. Answer with ``GATTReadRequest/respond(_:)``, now or later.
    func server(_ server: GATTServer, received request: GATTReadRequest)
    /// A client writes and waits for the answer: ``GATTWriteRequest/respond(_:)``, now or later. Values that the server
    /// keeps are replaced once the answer accepts.
    func server(_ server: GATTServer, received request: GATTWriteRequest)
    /// A client wrote a value without waiting for an answer; one that the server keeps is replaced already. The view is
    /// valid during the call.
    func server(
        _ server: GATTServer, received command: ByteView, for handle: UInt16, from session: GATTServerSession)
    /// A client subscribed to a characteristic, or unsubscribed; also when its link ended.
    func server(
        _ server: GATTServer, _ session: GATTServerSession, changedSubscriptionTo valueHandle: UInt16,
        from old: GATTSubscription, to new: GATTSubscription)
    /// A notification to this client would go out at once again.
    func server(_ server: GATTServer, isReadyToSendTo session: GATTServerSession)
}
