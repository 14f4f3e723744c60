import BluetoothModel

/// What a GATT server keeps of a bonded client from one link to the next (Core 6.0, Vol 3, Part G, 2.5.2 and 3.3.3.3).
public struct GATTServerClientState: Hashable, Sendable {
    /// What the client asked for, by the handle of the value: notifications, indications.
    public var subscriptions: [UInt16: GATTSubscription]
    /// The client's Client Supported Features.
    public var clientFeatures: UInt8
    /// The Database Hash of the attributes that the client knows; empty where it knows none.
    public var databaseHash: [UInt8]

    /// What a client asked for.
    public init(subscriptions: [UInt16: GATTSubscription], clientFeatures: UInt8, databaseHash: [UInt8]) {
        self.subscriptions = subscriptions
        self.clientFeatures = clientFeatures
        self.databaseHash = databaseHash
    }
}

extension GATTServerSession {
    /// What is to be kept of the client.
    public var state: GATTServerClientState {
        let isAware = if case .aware = awareness { true } else { false }
        return GATTServerClientState(
            subscriptions: subscriptions, clientFeatures: clientFeatures,
            databaseHash: isAware ? server.databaseHash : [])
    }

    /// Brings back what was kept, once the link is encrypted with the key of the bond. What the client asked for on
    /// this link already stays.
    ///
    /// Where the attributes are others now, handles mean nothing any more: only the wish to be told of changes is kept,
    /// and the client is told.
    public func restore(_ state: GATTServerClientState) {
        guard isOpen else { return }
        clientFeatures |= state.clientFeatures & GATTClientFeatures.known
        let isSame = state.databaseHash == server.databaseHash
        for (handle, wish) in state.subscriptions.sorted(by: { $0.key < $1.key })
        where isSame || handle == server.serviceChangedHandle {
            if subscription(to: handle).isEmpty, let offered = server.table.offer(of: handle) {
                setSubscription(wish.intersection(offered), to: handle)
            }
        }
        if !isSame { databaseChanged(1...0xFFFF) }
    }

    func stateChanged() {
        // A link that ends takes nothing from what is kept.
        if link != nil { onStateChange?() }
    }
}

extension AttributeTable {
    /// What a characteristic offers to those who subscribe; nil where it has no configuration.
    fileprivate func offer(of valueHandle: UInt16) -> GATTSubscription? {
        for attribute in attributes(in: valueHandle...0xFFFF) {
            if case .clientConfiguration(of: valueHandle, let offered) = attribute.value { return offered }
            // The next characteristic begins.
            if attribute.type == GATTType.characteristic { return nil }
        }
        return nil
    }
}
