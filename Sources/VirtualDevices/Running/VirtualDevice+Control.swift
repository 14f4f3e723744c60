import Harald

/// Control of a running device by a test, or by a person at a terminal.
extension VirtualDevice {
    /// A published characteristic.
    package struct Place: Hashable, Sendable {
        /// The UUID of its service.
        package let service: BluetoothUUID
        /// The UUID of the characteristic.
        package let characteristic: BluetoothUUID
        /// The attribute that holds its value.
        package let attribute: AttributeID
        let place: DeviceValues.Place
    }

    /// The characteristics, in the order of their handles.
    package var places: [Place] {
        values.allPublished.map { place, published in
            Place(
                service: file.services[place.service].uuid, characteristic: published.uuid,
                attribute: published.attribute, place: place)
        }.sorted { $0.attribute.rawValue < $1.attribute.rawValue }
    }

    /// Sets the value that reads return until a central writes another one; nil restores the value of the file.
    /// Subscribers receive it the next time the device sends.
    package func set(_ value: [UInt8]?, at place: Place) async {
        values.setOverride(value, at: place.place)
        await values.published(at: place.place)?.setValue(values.bytes(at: place.place))
    }

    /// Sends `value` to the subscribers; nil sends the value that reads return.
    /// - Returns: The number of subscribers.
    /// - Throws: ``BluetoothError`` if the device is not published any more.
    package func notify(_ value: [UInt8]?, at place: Place) async throws(BluetoothError) -> Int {
        guard let published = values.published(at: place.place) else { return 0 }
        if let value { values.setOverride(value, at: place.place) }
        let count = await published.subscribers.count
        try await published.update(values.bytes(at: place.place))
        return count
    }

    /// Refuses reads and writes with an error code; nil restores the behaviour of the file.
    package func setRefusal(_ code: ATTErrorCode?, at place: Place) {
        values.setRefusal(code, at: place.place)
    }
}
