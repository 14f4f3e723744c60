import Harald

/// A running device in the hands of somebody outside: a person at a terminal, or a test.
extension VirtualDevice {
    /// A characteristic on the air.
    package struct Place: Hashable, Sendable {
        /// The service that it belongs to.
        package let service: BluetoothUUID
        /// What it is.
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

    /// Sets the value that readers get from now on, until a central writes another one; nil for what the file says. Who
    /// subscribed hears of it the next time that the device sends.
    package func set(_ value: [UInt8]?, at place: Place) async {
        values.setOverride(value, at: place.place)
        await values.published(at: place.place)?.setValue(values.bytes(at: place.place))
    }

    /// Sends a value to those who subscribed: this one, else the one that readers get.
    /// - Returns: how many subscribed.
    /// - Throws: ``BluetoothError`` where the device is not on the air any more.
    package func notify(_ value: [UInt8]?, at place: Place) async throws(BluetoothError) -> Int {
        guard let published = values.published(at: place.place) else { return 0 }
        if let value { values.setOverride(value, at: place.place) }
        let count = await published.subscribers.count
        try await published.update(values.bytes(at: place.place))
        return count
    }

    /// Has reads and writes answered with an error; nil for as the file says.
    package func setRefusal(_ code: ATTErrorCode?, at place: Place) {
        values.setRefusal(code, at: place.place)
    }
}
