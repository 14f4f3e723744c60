import BluetoothModel

/// The reason why an advertising set ended without being stopped.
package enum AdvertisingTermination {
    /// A central connected.
    case connected(LELink)
    /// Its duration has elapsed.
    case timeout
    /// The controller or the adapter ended it.
    case failed(RadioError)
}
