@_exported import Adapters
@_exported import BluetoothModel

@_exported import struct BluetoothProfiles.AdvertisedValue
// The clock of the adapter and its instants.
@_exported import struct BluetoothRuntime.AdapterClock
@_exported import struct BluetoothRuntime.RadioInstant
