import BluetoothModel

/// The state that a GATT server stores for a bonded client between links (Core 6.0, Vol 3, Part G, 2.5.2 and 3.3.3.3).
package struct GATTServerClientState: Hashable, Sendable {
    /// The client's subscriptions, by value handle.
    package var subscriptions: [UInt16: GATTSubscription]
    /// The client's Client Supported Features.
    package var clientFeatures: UInt8
    /// The Database Hash of the attributes that the client knows; empty if it is not change-aware.
    package var databaseHash: [UInt8]

    /// Creates the state of a client.
    package init(subscriptions: [UInt16: GATTSubscription], clientFeatures: UInt8, databaseHash: [UInt8]) {
        self.subscriptions = subscriptions
        self.clientFeatures = clientFeatures
        self.databaseHash = databaseHash
    }
}

extension GATTServerSession {
    /// The state to store for the client.
    package var state: GATTServerClientState {
        let isAware = if case .aware = awareness { true } else { false }
        return GATTServerClientState(
            subscriptions: subscriptions, clientFeatures: clientFeatures,
            databaseHash: isAware ? server.databaseHash : [])
    }

    /// Restores the stored state once the link is encrypted with the key of the bond. Subscriptions that the client has
    /// made on this link take precedence.
    ///
    /// If the database has changed, the stored handles are invalid: only the subscription to Service Changed is
    /// restored, and the change is indicated to the client.
    package func restore(_ state: GATTServerClientState) {
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
        // A closing link does not change the stored state.
        if link != nil { onStateChange?() }
    }
}

extension AttributeTable {
    /// Returns the subscriptions that a characteristic offers; nil if it has no client configuration.
    fileprivate func offer(of valueHandle: UInt16) -> GATTSubscription? {
        for attribute in attributes(in: valueHandle...0xFFFF) {
            if case .clientConfiguration(of: valueHandle, let offered) = attribute.value { return offered }
            // Start of the next characteristic.
            if attribute.type == GATTType.characteristic { return nil }
        }
        return nil
    }
}
