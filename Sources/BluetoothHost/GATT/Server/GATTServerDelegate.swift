import BluetoothModel

/// The delegate of a GATT server; confined to the loop.
package protocol GATTServerDelegate: AnyObject {
    /// Called when a client reads a dynamic value. Answer with ``GATTReadRequest/respond(_:)``, immediately or later.
    func server(_ server: GATTServer, received request: GATTReadRequest)
    /// Called when a client writes with a response. Answer with ``GATTWriteRequest/respond(_:)``, immediately or later.
    /// Values stored by the server are replaced once the write is accepted.
    func server(_ server: GATTServer, received request: GATTWriteRequest)
    /// Called when a client wrote a value without a response. A value stored by the server has been replaced already.
    /// The view is valid only during the call.
    func server(
        _ server: GATTServer, received command: ByteView, for handle: UInt16, from session: GATTServerSession)
    /// Called when a client subscribed to or unsubscribed from a characteristic, or its link ended.
    func server(
        _ server: GATTServer, _ session: GATTServerSession, changedSubscriptionTo valueHandle: UInt16,
        from old: GATTSubscription, to new: GATTSubscription)
    /// Called when a notification to this client would be sent immediately again, or the client counts as stalled.
    func server(_ server: GATTServer, isReadyToSendTo session: GATTServerSession)
}
